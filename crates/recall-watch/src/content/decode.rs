//! Decoding of a file's bytes to text.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{UTF_16BE, UTF_16LE};

use super::Encoding;
use crate::SkipReason;

/// Decodes a file's bytes: by their byte order mark if there is one, otherwise as UTF-8 if valid, otherwise in a
/// detected legacy encoding.
///
/// # Errors
/// [`SkipReason::Binary`] if the bytes are not text; [`SkipReason::UnknownEncoding`] if they may be text, but not every
/// byte is defined in the encoding.
pub(super) fn decode(bytes: &[u8]) -> Result<(Cow<'_, str>, Encoding), SkipReason> {
    let (text, encoding) = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => (utf8(rest)?, Encoding::Utf8Marked),
        [0xFF, 0xFE, rest @ ..] => (exactly(UTF_16LE, rest)?, Encoding::Utf16Le),
        [0xFE, 0xFF, rest @ ..] => (exactly(UTF_16BE, rest)?, Encoding::Utf16Be),
        _ if bytes.contains(&0) => return Err(SkipReason::Binary),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => (Cow::Borrowed(text), Encoding::Utf8),
            Err(_) => legacy(bytes)?,
        },
    };
    if is_text(&text) { Ok((text, encoding)) } else { Err(SkipReason::Binary) }
}

fn utf8(bytes: &[u8]) -> Result<Cow<'_, str>, SkipReason> {
    std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| SkipReason::UnknownEncoding)
}

fn exactly<'a>(encoding: &'static encoding_rs::Encoding, bytes: &'a [u8]) -> Result<Cow<'a, str>, SkipReason> {
    encoding.decode_without_bom_handling_and_without_replacement(bytes).ok_or(SkipReason::UnknownEncoding)
}

fn legacy(bytes: &[u8]) -> Result<(Cow<'_, str>, Encoding), SkipReason> {
    if is_mostly_control(bytes) {
        return Err(SkipReason::Binary);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let text = exactly(encoding, bytes)?;
    // Bytes that an encoding leaves undefined decode to C1 controls, which do not occur in text.
    if text.chars().any(|c| matches!(c, '\u{80}'..='\u{9F}')) {
        return Err(SkipReason::UnknownEncoding);
    }
    Ok((text, Encoding::Legacy(encoding.name())))
}

/// Returns whether there are more control characters than in text of any ASCII-compatible encoding.
fn is_mostly_control(bytes: &[u8]) -> bool {
    // The count of a block fits into a byte, so the sum is vectorized. This runs on every file.
    let blocks = bytes.chunks(u8::MAX.into());
    let controls: usize =
        blocks.map(|block| usize::from(block.iter().map(|&byte| u8::from(is_control(byte))).sum::<u8>())).sum();
    controls * CONTROLS_ONE_IN > bytes.len()
}

fn is_text(text: &str) -> bool {
    !text.contains('\0') && !is_mostly_control(text.as_bytes())
}

/// The reciprocal of the largest share of control characters in text. Terminal captures and old printouts have a few;
/// in compressed data one byte in ten is one.
const CONTROLS_ONE_IN: usize = 100;

/// Returns whether a byte is a control character that does not occur in text. Text may contain backspace (man pages),
/// tab, line endings, form feed, the DOS end-of-file mark and escape (terminal colours).
#[expect(clippy::needless_bitwise_bool, reason = "branch-free code is vectorized")]
fn is_control(byte: u8) -> bool {
    let is_of_text = (byte.wrapping_sub(0x08) <= 5) & (byte != 0x0B) | (byte & 0xFE == 0x1A);
    (byte < 0x20) & !is_of_text | (byte == 0x7F)
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, EUC_JP, EUC_KR, GBK, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};

    use super::*;

    const GERMAN: &str =
        "/* Prüft, ob der Schlüssel für die Übergabe gültig ist; größer als null heißt: ja. */\nint prüfe();\n";
    const RUSSIAN: &str =
        "# Проверяет, что ключ действителен, и возвращает количество найденных записей.\ndef check(): pass\n";
    const JAPANESE: &str = "// この関数はデータベースの接続を開いて、設定ファイルを読み込みます。\nvoid open();\n";
    const CHINESE: &str = "// 这个函数打开数据库连接并读取配置文件，然后返回所有找到的记录。\nvoid open();\n";
    const TAIWANESE: &str = "// 這個函數開啟資料庫連線並讀取設定檔案，然後傳回所有找到的記錄。\nvoid open();\n";
    const KOREAN: &str =
        "// 이 함수는 데이터베이스 연결을 열고 설정 파일을 읽은 다음 찾은 기록을 모두 반환합니다.\nvoid open();\n";

    #[test]
    fn texts_in_legacy_encodings_are_decoded() {
        for (encoding, text) in [
            (WINDOWS_1252, GERMAN),
            (WINDOWS_1251, RUSSIAN),
            (SHIFT_JIS, JAPANESE),
            (EUC_JP, JAPANESE),
            (GBK, CHINESE),
            (BIG5, TAIWANESE),
            (EUC_KR, KOREAN),
        ] {
            let (bytes, _, unmappable) = encoding.encode(text);
            assert!(!unmappable, "{}", encoding.name());
            assert_eq!(decode(&bytes), Ok((text.into(), Encoding::Legacy(encoding.name()))), "{}", encoding.name());
        }
    }

    #[test]
    fn unicode_is_recognized_by_its_mark_or_by_validity() {
        let utf16 = |text: &str, mark: &[u8], bytes: fn(u16) -> [u8; 2]| {
            let mut all = mark.to_vec();
            all.extend(text.encode_utf16().flat_map(bytes));
            all
        };
        for (bytes, text, encoding) in [
            (b"".to_vec(), "", Encoding::Utf8),
            (b"plain\r\n".to_vec(), "plain\r\n", Encoding::Utf8),
            ("größer 🦀".as_bytes().to_vec(), "größer 🦀", Encoding::Utf8),
            (b"\xEF\xBB\xBFmarked".to_vec(), "marked", Encoding::Utf8Marked),
            (b"\xEF\xBB\xBF".to_vec(), "", Encoding::Utf8Marked),
            (utf16("größer 🦀\r\n", b"\xFF\xFE", u16::to_le_bytes), "größer 🦀\r\n", Encoding::Utf16Le),
            (utf16("größer 🦀\r\n", b"\xFE\xFF", u16::to_be_bytes), "größer 🦀\r\n", Encoding::Utf16Be),
            (b"\x1b[31mred\x1b[0m over\x08\x0c".to_vec(), "\x1b[31mred\x1b[0m over\x08\x0c", Encoding::Utf8),
        ] {
            assert_eq!(decode(&bytes), Ok((text.into(), encoding)), "{bytes:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_refused_with_a_reason() {
        let noise: Vec<u8> = (0..4000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8 | 1).collect();
        for (bytes, reason) in [
            (&b"text\0text"[..], SkipReason::Binary),
            (b"\x7FELF\x02\x01\x01\0\0\0", SkipReason::Binary),
            (&noise, SkipReason::Binary),
            (b"\x01\x02\x03\x04 text", SkipReason::Binary),
            // UTF-32 begins with the mark of UTF-16, followed by NULs.
            (b"\xFF\xFE\0\0a\0\0\0", SkipReason::Binary),
            // UTF-16 without a mark contains NULs.
            (b"a\0b\0", SkipReason::Binary),
            (b"\xFF\xFEa", SkipReason::UnknownEncoding),
            (b"\xFF\xFE\x00\xD8a\0", SkipReason::UnknownEncoding),
            (b"\xEF\xBB\xBF\xFF", SkipReason::UnknownEncoding),
        ] {
            assert_eq!(decode(bytes), Err(reason), "{:?}", &bytes[..bytes.len().min(20)]);
        }
    }

    #[test]
    fn text_uses_seven_of_the_control_characters() {
        let used: Vec<u8> = (0_u8..=0xFF).filter(|byte| byte.is_ascii_control() && !is_control(*byte)).collect();
        assert_eq!(used, [0x08, b'\t', b'\n', 0x0C, b'\r', 0x1A, 0x1B]);
        assert!(!(0_u8..=0xFF).any(|byte| !byte.is_ascii_control() && is_control(byte)));
    }

    proptest::proptest! {
        #[test]
        fn decoding_never_panics_or_returns_a_nul(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
            if let Ok((text, _)) = decode(&bytes) {
                proptest::prop_assert!(!text.contains('\0'));
            }
        }

        #[test]
        fn utf8_text_without_controls_is_unchanged(text in "[^\\p{Cc}\u{FEFF}]{0,200}") {
            proptest::prop_assert_eq!(decode(text.as_bytes()), Ok((text.as_str().into(), Encoding::Utf8)));
        }
    }
}
