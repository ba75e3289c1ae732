//! How a section of the settings is written: once, as a table.

/// Defines the struct of a section, its defaults and its loader.
///
/// A line is `field: type = default, reach, kind;`, after the field's documentation. The name of a setting is that of its section and
/// field, its [`Reach`](crate::Reach) says whose file may set it, and its [`Kind`](crate::table::Kind) its form and bounds.
macro_rules! section {
    (
        $(#[$meta:meta])*
        $name:ident in $section:literal {
            $($(#[$field_meta:meta])* $field:ident: $type:ty = $default:expr, $reach:ident, $kind:expr;)+
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$field_meta])* pub $field: $type,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl $name {
            /// Reads the section.
            ///
            /// # Errors
            /// A value is invalid.
            pub(super) fn read(from: &mut Reader) -> Result<Self, ConfigError> {
                let default = Self::default();
                keys!(from, $section, default => Self { $($field: $reach, $kind;)+ })
            }
        }
    };
}

/// Reads the fields of a struct that is defined elsewhere. A line is `field: reach, kind;`.
macro_rules! keys {
    ($from:ident, $section:literal, $default:ident => $name:ident { $($field:ident: $reach:ident, $kind:expr;)+ }) => {
        Ok($name {
            $($field: $from.key(
                concat!($section, ".", stringify!($field)),
                Reach::$reach,
                $default.$field,
                &$kind,
            )?,)+
        })
    };
}
