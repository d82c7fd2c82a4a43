//! Dates of `Expires` in all the forms that servers write, by the algorithm of RFC 6265, 5.1.1.

const MONTHS: [&[u8]; 12] =
    [b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"];

/// Seconds since 1970 of a cookie's date; nothing when it is not one.
#[must_use]
pub fn parse(text: &[u8]) -> Option<i64> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    for token in text.split(|&byte| is_delimiter(byte)).filter(|token| !token.is_empty()) {
        // The first token of each form counts; what cannot be that any more is looked at as the next.
        if time.is_none() && read_time(token).is_some() {
            time = read_time(token);
        } else if day.is_none() && number(token, 1..=2).is_some() {
            day = number(token, 1..=2);
        } else if month.is_none() && read_month(token).is_some() {
            month = read_month(token);
        } else if year.is_none() {
            year = number(token, 2..=4);
        }
    }
    let ([hours, minutes, seconds], day, month) = (time?, day?, month?);
    let year = match year? {
        short @ 0..=69 => short + 2_000,
        short @ 70..=99 => short + 1_900,
        long => long,
    };
    if year < 1_601
        || !(1..=days_of(month, year)).contains(&day)
        || hours > 23
        || minutes > 59
        || seconds > 59
    {
        return None;
    }
    Some(days_since_1970(year, month, day) * 86_400 + hours * 3_600 + minutes * 60 + seconds)
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, 0x09 | 0x20..=0x2f | 0x3b..=0x40 | 0x5b..=0x60 | 0x7b..=0x7e)
}

/// Hours, minutes and seconds, whatever their size; something that is no digit may follow.
fn read_time(token: &[u8]) -> Option<[i64; 3]> {
    let mut fields = token.splitn(3, |&byte| byte == b':');
    let mut whole = || fields.next().filter(|field| field.iter().all(u8::is_ascii_digit));
    let (hours, minutes) = (number(whole()?, 1..=2)?, number(whole()?, 1..=2)?);
    Some([hours, minutes, number(fields.next()?, 1..=2)?])
}

fn read_month(token: &[u8]) -> Option<i64> {
    let start = token.get(..3)?;
    (1..).zip(MONTHS).find(|(_, month)| month.eq_ignore_ascii_case(start)).map(|(number, _)| number)
}

/// The number of so many digits with which a token begins; something that is no digit may follow.
fn number(token: &[u8], lengths: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let length = token.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digits = token.get(..length).filter(|_| lengths.contains(&length))?;
    Some(digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
}

fn days_of(month: i64, year: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
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
            "1994 november 6th 8:49:37",
            "08:49:37GMT,6/NOVEMBRE/94AD",
            "06 Nov 1994 08:49:37 31 Dec 2030 01:02:03",
            "  Nov;06;1994;08:49:37.123",
            "Wed, 06 Nov 94 08:49:37:00 +0100",
        ] {
            assert_eq!(parse(text.as_bytes()), Some(784_111_777), "{text}");
        }
        assert_eq!(parse(b"Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(parse(b"Fri, 29 Feb 2036 00:00:00 GMT"), Some(2_087_856_000));
        assert_eq!(parse(b"1 Jan 69 00:00:00"), parse(b"1 Jan 2069 00:00:00"));
        assert_eq!(parse(b"1 Jan 70 00:00:00"), Some(0));
        assert_eq!(parse(b"1 Jan 1601 0:0:0"), Some(-11_644_473_600));
    }

    #[test]
    fn what_is_not_a_date_is_none() {
        for text in [
            "",
            "0",
            "tomorrow",
            "06 Nov 1994",
            "Nov 1994 08:49:37",
            "32 Nov 1994 08:49:37",
            "00 Nov 1994 08:49:37",
            "31 Nov 1994 08:49:37",
            "29 Feb 1900 08:49:37",
            "06 Nov 1994 24:00:00",
            "06 Nov 1994 25:00:00 08:49:37",
            "06 Nov 1994 08:60:00",
            "06 Nov 1994 08:49",
            "06 Nov 1994 008:49:37",
            "06 Nov 1600 08:49:37",
            "06 Nov 19945 08:49:37",
            "06 Nov 9 08:49:37",
            "06\u{e4}Nov 1994 08:49:37",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }
}
