//! The two files that a server reads: what it is, and who may use it.
//!
//! Small caches, because many servers may run beside each other, and no ports but one. The log of
//! queries is written when somebody asks for it, or after a minute: a test that kills the server
//! is sure of what is forgotten.

/// The server: one port of the loopback, everything else in the directory it is started in.
pub(super) fn server(port: u16) -> String {
    format!(
        "<yandex>
  <logger><level>warning</level><console>true</console></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>{port}</http_port>
  <keep_alive_timeout>10</keep_alive_timeout>
  <path>./data/</path>
  <tmp_path>./data/tmp/</tmp_path>
  <mark_cache_size>16777216</mark_cache_size>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <query_log>
    <database>system</database>
    <table>query_log</table>
    <flush_interval_milliseconds>60000</flush_interval_milliseconds>
  </query_log>
</yandex>
"
    )
}

/// Its one user, who needs no password.
pub(super) const USERS: &str = "<yandex>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <password/>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
    </default>
  </users>
</yandex>
";
