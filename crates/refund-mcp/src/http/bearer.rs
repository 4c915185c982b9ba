//! The token of a request: `Authorization: Bearer …`, once, and nowhere else.

use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};

use super::answer::Rejection;

/// The token that a request brings.
///
/// # Errors
/// 401: none, more than one, another scheme, or one in the address, where logs and histories keep it.
pub(super) fn token<'a>(uri: &Uri, headers: &'a HeaderMap) -> Result<&'a str, Rejection> {
    if uri.query().is_some_and(names_a_token) {
        return Err(unauthorized(
            "a token must not stand in the address; send it as Authorization: Bearer … and take it for known to others",
            "Bearer error=\"invalid_request\"",
        ));
    }
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Err(unauthorized(
            "a token is needed: send Authorization: Bearer …",
            "Bearer",
        ));
    };
    let token = value
        .to_str()
        .ok()
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim_start_matches(' '))
        .filter(|token| !token.is_empty() && !token.contains([' ', ',']));
    match (token, values.next()) {
        (Some(token), None) => Ok(token),
        _ => Err(unauthorized(
            "one token is needed: send one Authorization: Bearer …",
            "Bearer error=\"invalid_request\"",
        )),
    }
}

/// The answer to a token that nobody has.
pub(super) fn unknown() -> Rejection {
    unauthorized("this token is not known", "Bearer error=\"invalid_token\"")
}

fn unauthorized(message: &str, challenge: &'static str) -> Rejection {
    let challenge = HeaderValue::from_static(challenge);
    Rejection::new(StatusCode::UNAUTHORIZED, format!("Unauthorized: {message}"))
        .with(header::WWW_AUTHENTICATE, challenge)
}

fn names_a_token(query: &str) -> bool {
    let names = query.split('&').map(|pair| pair.split('=').next());
    names
        .flatten()
        .any(|name| ["access_token", "token"].contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_token_in_its_place() {
        let read = |values: &[&str], uri: &'static str| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::AUTHORIZATION, HeaderValue::from_str(value).unwrap());
            }
            token(&Uri::from_static(uri), &headers)
                .map(str::to_owned)
                .ok()
        };
        for value in ["Bearer abc", "bearer abc", "BEARER  abc"] {
            assert_eq!(read(&[value], "/mcp"), Some("abc".to_owned()), "{value}");
        }
        for value in [
            "",
            "Bearer",
            "Bearer ",
            "abc",
            "Basic abc",
            "Bearer abc def",
            "Bearer abc,Bearer abc",
            "Token abc",
            "Bearer\tabc",
        ] {
            assert_eq!(read(&[value], "/mcp"), None, "{value}");
        }
        assert_eq!(read(&[], "/mcp"), None);
        assert_eq!(read(&["Bearer abc", "Bearer abc"], "/mcp"), None);
        assert_eq!(read(&["Bearer abc"], "/mcp?access_token=abc"), None);
        assert_eq!(read(&[], "/mcp?x=1&access_token=abc"), None);
        assert_eq!(read(&["Bearer abc"], "/mcp?x=1"), Some("abc".to_owned()));
    }
}
