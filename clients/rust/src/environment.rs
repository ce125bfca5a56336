//! Where a bot is to go: environment variables, the same in every language.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::path::PathBuf;

use crate::errors::Error;

const SERVER: &str = "MERGEMAKER_SERVER";
const TOKEN: &str = "MERGEMAKER_TOKEN";
const BOT: &str = "MERGEMAKER_BOT";
pub(crate) const CA: &str = "MERGEMAKER_CA";
const TRACE: &str = "MERGEMAKER_TRACE";
const PLAIN_TEXT: &str = "MERGEMAKER_PLAIN_TEXT";
const PLAIN_TEXT_ALLOWED: &str = "allowed";
const SERVER_EXAMPLE: &str = "grpc://127.0.0.1:7350, or grpcs://referee.example:7350";
const TOKEN_EXAMPLE: &str = "what the referee or the operator gave to this bot";
const BOT_NAME_CHARACTERS_MAX: usize = 64;

/// A referee's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// A name or an address, without brackets.
    pub host: String,
    /// From 1.
    pub port: u16,
    /// Whether the connection uses TLS.
    pub secure: bool,
}

impl Target {
    /// Reads `grpc://host:port` or `grpcs://host:port`; an IPv6 address stands in brackets.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::read(text).ok_or_else(|| {
            Error::setting("bad-server", format!("a referee's address ({SERVER}) is {SERVER_EXAMPLE}, not {text:?}"))
        })
    }

    fn read(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let secure = match scheme {
            "grpc" => false,
            "grpcs" => true,
            _ => return None,
        };
        let (host, port) = rest.rsplit_once(':')?;
        if !port.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let port = port.parse().ok().filter(|port| *port > 0)?;
        let host = match host.strip_prefix('[') {
            Some(inner) => inner.strip_suffix(']').filter(|inner| inner.parse::<Ipv6Addr>().is_ok())?,
            None => host,
        };
        let is_stray = |character: char| "/?#@[]%\\".contains(character) || !character.is_ascii_graphic();
        let is_bare_ipv6 = host.contains(':') && !rest.starts_with('[');
        let is_host = !host.is_empty() && !host.contains(is_stray) && !is_bare_ipv6;
        is_host.then(|| Self { host: host.to_owned(), port, secure })
    }

    /// Host and port.
    pub fn address(&self) -> String {
        let (host, port) = (&self.host, self.port);
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }

    /// Whether the referee is on this machine.
    pub fn is_loopback(&self) -> bool {
        self.host.eq_ignore_ascii_case("localhost")
            || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}", if self.secure { "grpcs" } else { "grpc" }, self.address())
    }
}

/// What the variables say.
#[derive(Clone, PartialEq, Eq)]
pub struct Environment {
    /// Where the referee is.
    pub target: Target,
    /// The seat's or the bot's.
    pub token: String,
    /// The bot's name; empty: the one that goes with the token.
    pub name: String,
    /// A file with the certificates to trust, if they are not those that the machine trusts.
    pub ca: Option<PathBuf>,
    /// Where every message is written.
    pub trace: Option<PathBuf>,
}

impl Environment {
    /// Reads the process's variables.
    pub fn read() -> Result<Self, Error> {
        Self::from_variables(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    /// Reads variables from any source.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let said = |name: &str| variable(name).filter(|value| !value.is_empty());
        let (server, token) = match (said(SERVER), said(TOKEN)) {
            (Some(server), Some(token)) => (server, token),
            (server, token) => return Err(missing(server.is_none(), token.is_none())),
        };
        let name = said(BOT).unwrap_or_default();
        if name.chars().count() > BOT_NAME_CHARACTERS_MAX {
            let text = format!("a bot's name ({BOT}) has at most {BOT_NAME_CHARACTERS_MAX} characters");
            return Err(Error::setting("bad-name", text));
        }
        let target = Target::parse(&server)?;
        check_private(&target, said(PLAIN_TEXT))?;
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            let text = format!("a token ({TOKEN}) is printable ASCII without spaces; this one is not");
            return Err(Error::setting("bad-token", text));
        }
        Ok(Self { target, token, name, ca: said(CA).map(PathBuf::from), trace: said(TRACE).map(PathBuf::from) })
    }
}

/// Nobody sees the token.
impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("Environment");
        shown.field("target", &self.target).field("name", &self.name).field("ca", &self.ca);
        shown.field("trace", &self.trace).finish_non_exhaustive()
    }
}

fn missing(server: bool, token: bool) -> Error {
    let all = [(SERVER, SERVER_EXAMPLE, server), (TOKEN, TOKEN_EXAMPLE, token)];
    let missing: Vec<_> = all.into_iter().filter(|(_, _, is_missing)| *is_missing).collect();
    let names: Vec<_> = missing.iter().map(|(name, _, _)| *name).collect();
    let lines: String = missing.iter().map(|(name, example, _)| format!("\n  {name}={example}")).collect();
    let text = format!("the bot does not know where to connect: {} must be set, as in{lines}", names.join(" and "));
    Error::setting("missing-variable", text)
}

/// Refuses to show a token to anyone on the way: that needs TLS, or explicit permission.
fn check_private(target: &Target, said: Option<String>) -> Result<(), Error> {
    match said.as_deref() {
        Some(PLAIN_TEXT_ALLOWED) => Ok(()),
        Some(other) => {
            let text = format!("{PLAIN_TEXT} is {PLAIN_TEXT_ALLOWED:?} or not set, not {other:?}");
            Err(Error::setting("bad-plain-text", text))
        }
        None if target.secure || target.is_loopback() => Ok(()),
        None => {
            let address = target.address();
            let text = format!(
                "{target} is not on this machine, and without TLS anyone on the route can read the token: use \
                 grpcs://{address}, with {CA} where this machine does not trust its certificate by itself; or, in a \
                 network that you trust, set {PLAIN_TEXT}={PLAIN_TEXT_ALLOWED}"
            );
            Err(Error::setting("plain-text", text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Environment, Error> {
        let found = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string());
        Environment::from_variables(found)
    }

    #[test]
    fn an_address_is_read_and_written() {
        for (text, host, loopback) in [
            ("grpc://127.0.0.1:7350", "127.0.0.1", true),
            ("grpc://127.9.9.9:1", "127.9.9.9", true),
            ("grpc://LocalHost:65535", "LocalHost", true),
            ("grpcs://[::1]:7350", "::1", true),
            ("grpcs://[2001:db8::1]:7350", "2001:db8::1", false),
            ("grpcs://referee.example:443", "referee.example", false),
        ] {
            let target = Target::parse(text).expect("it is an address");
            assert_eq!(
                (target.host.as_str(), target.is_loopback(), target.to_string().as_str()),
                (host, loopback, text)
            );
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_an_example() {
        for text in [
            "",
            "grpc://",
            "127.0.0.1:7350",
            "http://h:1",
            "grpc://h",
            "grpc://h:",
            "grpc://h:0",
            "grpc://h:65536",
            "grpc://h:+1",
            "grpc://:1",
            "grpc://no host:1",
            "grpc://::1:1",
            "grpc://[::1:1",
            "grpc://[h]:1",
            "grpc://me@h:1",
            "grpc://h/x:1",
            "GRPC://h:1",
            "grpc://h\u{fc}:1",
        ] {
            let refused = Target::parse(text).expect_err(text);
            assert_eq!(refused.reason(), "bad-server");
            assert!(refused.to_string().contains("grpc://127.0.0.1:7350"));
        }
    }

    #[test]
    fn the_variables_say_all() {
        let read = read(&[
            (SERVER, "grpc://127.0.0.1:7350"),
            (TOKEN, "t0ken"),
            (BOT, "\u{c4}nn"),
            (CA, "ca.pem"),
            (TRACE, "t.jsonl"),
        ])
        .expect("all is right");
        assert_eq!((read.token.as_str(), read.name.as_str()), ("t0ken", "\u{c4}nn"));
        assert_eq!((read.ca, read.trace), (Some("ca.pem".into()), Some("t.jsonl".into())));
    }

    #[test]
    fn missing_and_empty_variables_are_named_with_what_they_look_like() {
        let both = read(&[(TOKEN, "")]).expect_err("nothing is set").to_string();
        assert!(both.contains("MERGEMAKER_SERVER and MERGEMAKER_TOKEN must be set"));
        let one = read(&[(SERVER, "grpc://127.0.0.1:7350")]).expect_err("there is no token");
        assert_eq!(one.reason(), "missing-variable");
        assert!(one.to_string().contains("MERGEMAKER_TOKEN=") && !one.to_string().contains("MERGEMAKER_SERVER"));
    }

    #[test]
    fn a_bad_value_is_refused_and_a_token_never_shown() {
        let local = (SERVER, "grpc://127.0.0.1:7350");
        let long = "x".repeat(65);
        for (name, value, reason) in [
            (BOT, long.as_str(), "bad-name"),
            (TOKEN, "has space", "bad-token"),
            (TOKEN, "t\u{f6}ken", "bad-token"),
            (PLAIN_TEXT, "yes", "bad-plain-text"),
        ] {
            let refused = read(&[(name, value), local, (TOKEN, "t")]).expect_err(reason);
            assert_eq!(refused.reason(), reason);
            assert!(name != TOKEN || !refused.to_string().contains(value));
        }
        let read = read(&[local, (TOKEN, "s3cret")]).expect("all is right");
        assert!(!format!("{read:?}").contains("s3cret"));
    }

    #[test]
    fn a_token_does_not_leave_the_machine_in_plain_text_unless_that_is_allowed() {
        let far = [(SERVER, "grpc://192.0.2.1:7350"), (TOKEN, "t")];
        assert_eq!(read(&far).expect_err("plain text").reason(), "plain-text");
        assert!(read(&[far[0], far[1], (PLAIN_TEXT, "allowed")]).is_ok());
        assert!(read(&[(SERVER, "grpcs://192.0.2.1:7350"), (TOKEN, "t")]).is_ok());
    }
}
