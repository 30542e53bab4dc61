//! A test collector for OTLP over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::{Metric, number_data_point};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

/// What came in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collected {
    pub(crate) traces: Vec<ExportTraceServiceRequest>,
    pub(crate) metrics: Vec<ExportMetricsServiceRequest>,
    /// The content types.
    pub(crate) types: Vec<String>,
    /// Everything, as it came.
    pub(crate) raw: Vec<u8>,
}

impl Collected {
    /// All spans.
    pub(crate) fn spans(&self) -> Vec<&Span> {
        let scopes = self.traces.iter().flat_map(|request| &request.resource_spans);
        scopes.flat_map(|resource| &resource.scope_spans).flat_map(|scope| &scope.spans).collect()
    }

    /// All received metrics.
    pub(crate) fn metrics(&self) -> impl Iterator<Item = &Metric> {
        let resources = self.metrics.iter().flat_map(|request| &request.resource_metrics);
        resources.flat_map(|resource| &resource.scope_metrics).flat_map(|scope| &scope.metrics)
    }

    /// The last value of the gauge of this name whose labels are these.
    pub(crate) fn gauge(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let labels: Vec<_> = labels.iter().map(|(key, value)| label(key, value)).collect();
        let points = self.metrics().filter(|metric| metric.name == name).filter_map(|metric| {
            match metric.data.as_ref()? {
                Data::Gauge(gauge) => Some(&gauge.data_points),
                _ => None,
            }
        });
        let point = points.flatten().filter(|point| point.attributes == labels).last()?;
        match point.value? {
            number_data_point::Value::AsDouble(value) => Some(value),
            number_data_point::Value::AsInt(_) => None,
        }
    }

    /// The buckets of the histogram of this name.
    pub(crate) fn bounds(&self, name: &str) -> Option<&[f64]> {
        match self.metrics().find(|metric| metric.name == name)?.data.as_ref()? {
            Data::Histogram(histogram) => Some(&histogram.data_points.first()?.explicit_bounds),
            _ => None,
        }
    }
}

fn label(key: &str, value: &str) -> KeyValue {
    let value = AnyValue { value: Some(any_value::Value::StringValue(value.to_owned())) };
    KeyValue { key: key.to_owned(), value: Some(value), ..KeyValue::default() }
}

/// A collector on a port of its own. It lives as long as the test's process.
pub(crate) struct Collector {
    pub(crate) url: String,
    collected: Arc<Mutex<Collected>>,
}

impl Collector {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let collected = Arc::<Mutex<Collected>>::default();
        let all = collected.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, all) = (stream.unwrap(), all.clone());
                thread::spawn(move || serve(&stream, &all));
            }
        });
        Self { url, collected }
    }

    pub(crate) fn collected(&self) -> Collected {
        self.collected.lock().unwrap().clone()
    }
}

/// Serves requests until the connection ends.
fn serve(stream: &TcpStream, all: &Mutex<Collected>) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head).is_ok_and(|read| read > 0) {
        if !head.ends_with("\r\n\r\n") {
            continue;
        }
        let field = |name: &str| {
            let line = head.lines().find_map(|line| line.strip_prefix(name));
            line.map(|value| value.trim().to_owned())
        };
        let length = field("content-length:").unwrap().parse().unwrap();
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        store(&head, field("content-type:").unwrap(), &body, all);
        (&*stream).write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
        head.clear();
    }
}

fn store(head: &str, content_type: String, body: &[u8], all: &Mutex<Collected>) {
    let mut all = all.lock().unwrap();
    all.types.push(content_type);
    all.raw.extend_from_slice(body);
    if head.starts_with("POST /v1/traces ") {
        all.traces.push(ExportTraceServiceRequest::decode(body).unwrap());
    } else if head.starts_with("POST /v1/metrics ") {
        all.metrics.push(ExportMetricsServiceRequest::decode(body).unwrap());
    } else {
        panic!("nothing is expected at {head}");
    }
}
