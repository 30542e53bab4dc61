//! The configuration files of a ClickHouse server.
//!
//! Small caches, because many servers may run in parallel, and only one port. The query log is flushed
//! on request or after a minute, so a test that kills the server knows what is lost.

/// The server: one loopback port, everything else in its working directory.
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

/// Its user, without a password.
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
