//! The RPCs of the protocol that this release does not offer.

/// Expands to RPCs that fail because they are not offered.
///
/// They have the form that `async_trait` gives to methods, because that attribute is expanded before the macros inside it.
macro_rules! unsupported {
    ($($name:literal $rpc:ident($Request:ty) -> $Answer:ty;)*) => {
        $(
            fn $rpc<'s, 'f>(
                &'s self,
                _: tonic::Request<$Request>,
            ) -> std::pin::Pin<Box<dyn Future<Output = Result<tonic::Response<$Answer>, tonic::Status>> + Send + 'f>>
            where
                's: 'f,
                Self: 'f,
            {
                Box::pin(std::future::ready(Err($crate::failure::unsupported(concat!("`", $name, "`")))))
            }
        )*
    };
}

pub(super) use unsupported;
