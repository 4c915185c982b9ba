//! One event as one line of JSON, written with one call.
//!
//! tracing-subscriber's own JSON formatter was a seventh of what a look-up costs; this one does the
//! little that our events need: no spans, every field at the top level.

use std::cell::RefCell;
use std::fmt::{Debug, Write as _};
use std::io::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::DateTime;
use serde::Serialize;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Writes every event to stderr.
pub(super) struct JsonLines;

thread_local! {
    static LINE: RefCell<Line> = RefCell::default();
}

impl<S: Subscriber> Layer<S> for JsonLines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        LINE.with(|line| match line.try_borrow_mut() {
            Ok(mut line) => line.write(event),
            // A value that logs while it is logged, or that panics.
            Err(_) => Line::default().write(event),
        });
    }
}

/// The room for a line, kept from event to event.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    /// A value's text before it is escaped.
    value: String,
    /// The second that `second_text` is the text of.
    second: Option<u64>,
    second_text: String,
}

impl Line {
    fn write(&mut self, event: &Event<'_>) {
        #[expect(
            clippy::disallowed_methods,
            reason = "a log tells the computer's time, not the desk's"
        )]
        let now = SystemTime::now();
        self.format(event, now);
        // If stderr is gone, nobody is there to read it.
        let _ = std::io::stderr().write_all(&self.bytes);
        // A panic's backtrace must not keep its room for ever.
        self.bytes.shrink_to(4096);
        self.value.shrink_to(4096);
    }

    fn format(&mut self, event: &Event<'_>, now: SystemTime) {
        self.bytes.clear();
        self.bytes.extend_from_slice(b"{\"timestamp\":\"");
        self.timestamp(now);
        self.bytes.extend_from_slice(b"\",\"level\":\"");
        self.bytes
            .extend_from_slice(event.metadata().level().as_str().as_bytes());
        self.bytes.push(b'"');
        event.record(self);
        self.key("target");
        self.json(event.metadata().target());
        self.bytes.extend_from_slice(b"}\n");
    }

    /// `2026-01-02T03:04:05.678901Z`. All but the fraction is written once a second.
    fn timestamp(&mut self, now: SystemTime) {
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let second = now.as_secs();
        if self.second != Some(second) {
            self.second = Some(second);
            let time = i64::try_from(second)
                .ok()
                .and_then(|second| DateTime::from_timestamp(second, 0))
                .unwrap_or_default();
            self.second_text = time.format("%Y-%m-%dT%H:%M:%S").to_string();
        }
        self.bytes.extend_from_slice(self.second_text.as_bytes());
        // Writing into memory cannot fail.
        let _ = write!(self.bytes, ".{:06}Z", now.subsec_micros());
    }

    fn key(&mut self, name: &str) {
        self.bytes.push(b',');
        self.json(name);
        self.bytes.push(b':');
    }

    fn json(&mut self, value: &(impl Serialize + ?Sized)) {
        // Only texts and numbers come here, which can always be written.
        let _ = serde_json::to_writer(&mut self.bytes, value);
    }

    fn field(&mut self, field: &Field, value: &(impl Serialize + ?Sized)) {
        self.key(field.name());
        self.json(value);
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.key(field.name());
        self.value.clear();
        let _ = write!(self.value, "{value:?}");
        let _ = serde_json::to_writer(&mut self.bytes, &self.value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.field(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.field(field, &value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.field(field, &value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.field(field, &value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.field(field, &value);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    /// Formats as [`JsonLines`] does, into memory.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<String>>>);

    impl<S: Subscriber> Layer<S> for Kept {
        fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
            let mut line = Line::default();
            let now = UNIX_EPOCH + Duration::from_micros(1_767_323_045_678_901);
            line.format(event, now);
            let text = String::from_utf8(line.bytes).unwrap();
            self.0.lock().unwrap().push(text);
        }
    }

    #[test]
    fn an_event_is_one_line_of_json() {
        struct Twice;
        impl Debug for Twice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("first \"")?;
                f.write_str("second\n\u{1}")
            }
        }

        let kept = Kept::default();
        let subscriber = tracing_subscriber::registry().with(kept.clone());
        tracing::subscriber::with_default(subscriber, || {
            let absent: Option<u64> = None;
            tracing::info!(
                tool = "a\"b\\c",
                count = 7_u64,
                minus = -7_i64,
                half = 0.5,
                yes = true,
                twice = ?Twice,
                shown = %"é\u{2028}",
                absent,
                "call"
            );
            tracing::warn!("{} is {}", "this", "formatted");
        });
        let lines = kept.0.lock().unwrap();
        assert_eq!(
            lines[0],
            "{\"timestamp\":\"2026-01-02T03:04:05.678901Z\",\"level\":\"INFO\",\"message\":\"call\",\
             \"tool\":\"a\\\"b\\\\c\",\"count\":7,\"minus\":-7,\"half\":0.5,\"yes\":true,\
             \"twice\":\"first \\\"second\\n\\u0001\",\"shown\":\"é\u{2028}\",\
             \"target\":\"refund_mcp::logging::line::tests\"}\n"
        );
        assert!(lines[1].contains("\"level\":\"WARN\",\"message\":\"this is formatted\""));
    }
}
