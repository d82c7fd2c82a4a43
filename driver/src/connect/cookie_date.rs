//! Dates of `Expires` in all the forms that servers write (RFC 6265, 5.1.1).

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Seconds since 1970 of a cookie's date; nothing when it is not one.
#[must_use]
pub fn parse(text: &str) -> Option<i64> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    let is_delimiter = |byte: char| !byte.is_ascii_alphanumeric() && byte != ':';
    for token in text.split(is_delimiter).filter(|token| !token.is_empty()) {
        if time.is_none() && parse_time(token).is_some() {
            time = parse_time(token);
        } else if day.is_none() && number(token, 1..=2).is_some() {
            day = number(token, 1..=2);
        } else if month.is_none() && parse_month(token).is_some() {
            month = parse_month(token);
        } else if year.is_none() {
            year = number(token, 2..=4);
        }
    }
    let (day, month, seconds) = (day?, month?, time?);
    let year = match year? {
        short @ 0..=69 => short + 2_000,
        short @ 70..=99 => short + 1_900,
        long => long,
    };
    if year < 1_601 || !(1..=31).contains(&day) {
        return None;
    }
    Some(days_since_1970(year, month, day) * 86_400 + seconds)
}

fn parse_time(token: &str) -> Option<i64> {
    let mut fields = token.split(':').map(|field| number(field, 1..=2));
    let (hours, minutes, seconds) = (fields.next()??, fields.next()??, fields.next()??);
    let valid = hours < 24 && minutes < 60 && seconds < 60 && fields.next().is_none();
    valid.then_some(hours * 3_600 + minutes * 60 + seconds)
}

fn parse_month(token: &str) -> Option<i64> {
    let start = token.get(..3)?;
    (1..).zip(MONTHS).find(|(_, month)| month.eq_ignore_ascii_case(start)).map(|(number, _)| number)
}

fn number(token: &str, lengths: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let is_number = lengths.contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { token.parse().ok() } else { None }
}

/// Howard Hinnant, "chrono-compatible low-level date algorithms", `days_from_civil`.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_every_form() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun, 06-Nov-1994 08:49:37 GMT",
        ] {
            assert_eq!(parse(text), Some(784_111_777), "{text}");
        }
        assert_eq!(parse("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(parse("Fri, 29 Feb 2036 00:00:00 GMT"), Some(2_087_856_000));
    }

    #[test]
    fn what_is_not_a_date_is_none() {
        for text in ["", "0", "tomorrow", "06 Nov 1994", "32 Nov 1994 08:49:37", "06 Nov 1994 24:00:00"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
