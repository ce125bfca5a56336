//! `MERGEMAKER_TRACE=FILE`: every message as a line of JSON, with time and direction, and without tokens.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::deal_check::FalseDeal;
use crate::errors::Error;
use crate::json::{REMOVED, json_of, quoted};
use crate::wire::{PlayRequest, PlayResponse};

const DAY_S: u64 = 86_400;

/// Writes messages to a file. A failed write is reported once, and does not stop the bot.
#[derive(Debug)]
pub(crate) struct Trace {
    /// The bearer's token as JSON has it, which is in no message, but is searched for anyway.
    secret: String,
    now: fn() -> SystemTime,
    /// None after a line that could not be written.
    file: Mutex<Option<File>>,
}

impl Trace {
    pub(crate) fn open(path: &Path, secret: &str, now: fn() -> SystemTime) -> Result<Self, Error> {
        let opened = OpenOptions::new().create(true).append(true).open(path);
        let file = opened.map_err(|error| {
            Error::setting("bad-trace", format!("the trace cannot be written to {}: {error}", path.display()))
        })?;
        let secret = quoted(secret);
        Ok(Self { secret: secret[1..secret.len() - 1].to_owned(), now, file: Mutex::new(Some(file)) })
    }

    pub(crate) fn sent(&self, request: &PlayRequest) {
        self.write("sent", &format!("\"message\":{}", json_of("PlayRequest", request)));
    }

    pub(crate) fn received(&self, response: &PlayResponse) {
        self.write("received", &format!("\"message\":{}", json_of("PlayResponse", response)));
    }

    /// Writes a stream's state.
    pub(crate) fn stream(&self, what: &str) {
        self.write("stream", &format!("\"what\":{}", quoted(what)));
    }

    /// Writes that a deal was not the one promised.
    pub(crate) fn false_deal(&self, id: &str, problem: &FalseDeal) {
        let (id, reason, text) = (quoted(id), quoted(problem.reason), quoted(&problem.text));
        self.write("problem", &format!("\"match\":{id},\"reason\":{reason},\"text\":{text}"));
    }

    fn write(&self, direction: &str, content: &str) {
        let at = time_text((self.now)());
        let mut line = format!("{{\"at\":\"{at}\",\"direction\":\"{direction}\",{content}}}\n");
        if !self.secret.is_empty() {
            line = line.replace(&self.secret, REMOVED);
        }
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // One write a line, with no buffer: a bot that is killed leaves a whole trace.
        if let Some(Err(error)) = file.as_mut().map(|file| file.write_all(line.as_bytes())) {
            *file = None;
            eprintln!("mergemaker: the trace ends here, it cannot be written: {error}");
        }
    }
}

/// A time of day as `2026-11-18T20:15:04.123456Z`.
fn time_text(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let (days, seconds) = (since.as_secs() / DAY_S, since.as_secs() % DAY_S);
    let (year, month, day) = date_of(days);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:06}Z", since.subsec_micros())
}

/// Year, month and day of the date this many days after 1 January 1970.
fn date_of(mut days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Hello, Resume, play_request};

    #[test]
    fn times_are_written_as_in_the_guide() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.123456Z"),
            (1_709_164_799, "2024-02-28T23:59:59.123456Z"),
            (1_709_251_199, "2024-02-29T23:59:59.123456Z"),
            (1_709_251_200, "2024-03-01T00:00:00.123456Z"),
            (1_795_046_104, "2026-11-18T23:55:04.123456Z"),
            (4_107_542_399, "2100-02-28T23:59:59.123456Z"),
            (4_107_542_400, "2100-03-01T00:00:00.123456Z"),
            (1_798_761_599, "2026-12-31T23:59:59.123456Z"),
        ] {
            assert_eq!(time_text(UNIX_EPOCH + Duration::new(seconds, 123_456_000)), text);
        }
    }

    fn request(name: &str, token: &str) -> PlayRequest {
        let resume = Resume { resume_token: token.into(), seen: Vec::new() };
        let hello = Hello { bot_name: name.into(), resume: Some(resume), ..Hello::default() };
        PlayRequest { kind: Some(play_request::Kind::Hello(hello)), ..PlayRequest::default() }
    }

    #[test]
    fn a_trace_goes_on_behind_an_older_one_and_holds_no_token() {
        let path = std::env::temp_dir().join(format!("mergemaker-trace-{}.jsonl", std::process::id()));
        for _ in 0..2 {
            let trace = Trace::open(&path, "s3\"cr\\et", || UNIX_EPOCH).expect("a temporary file can be written");
            trace.sent(&request("my s3\"cr\\et name", "resume-me"));
            trace.stream("ended OK");
            trace.false_deal("m-1", &FalseDeal { reason: "tiles-differ", text: "no".into() });
        }
        let text = std::fs::read_to_string(&path).expect("it was written");
        std::fs::remove_file(&path).expect("it is there");
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 6);
        assert_eq!(
            lines[3],
            "{\"at\":\"1970-01-01T00:00:00.000000Z\",\"direction\":\"sent\",\"message\":{\"hello\":{\
             \"bot_name\":\"my removed name\",\"resume\":{\"resume_token\":\"removed\"}}}}"
        );
        assert!(!text.contains("s3") && !text.contains("resume-me"));
    }

    #[test]
    fn a_file_that_cannot_be_opened_is_refused() {
        let refused = Trace::open(Path::new("/no/such/folder/trace.jsonl"), "", SystemTime::now);
        assert_eq!(refused.expect_err("there is no such folder").reason(), "bad-trace");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_disk_that_is_full_stops_nothing() {
        let trace = Trace::open(Path::new("/dev/full"), "", SystemTime::now).expect("it can be opened");
        trace.stream("one");
        trace.stream("two");
        assert!(trace.file.lock().expect("nobody panicked").is_none());
    }
}
