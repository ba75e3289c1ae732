//! The forms of texts that hold code of another language.

/// A form of text that holds code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    Vue,
    Svelte,
    Astro,
    /// HTML, with or without directives of a template language.
    Page,
    Template,
}

impl Host {
    /// Returns the form of a language's texts. `None` if they hold no code of another language.
    pub(crate) fn for_language(language: &str) -> Option<Self> {
        Some(match language {
            "vue" => Self::Vue,
            "svelte" => Self::Svelte,
            "astro" => Self::Astro,
            "html" => Self::Page,
            "template" => Self::Template,
            _ => return None,
        })
    }

    /// Whether a text is a component: a script and the markup that it fills.
    pub(super) fn is_component(self) -> bool {
        matches!(self, Self::Vue | Self::Svelte | Self::Astro)
    }
}
