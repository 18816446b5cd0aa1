//! HTML of a page: its Markdown, and the frame around it with the pages and the search. A page uses files of its own
//! folder only.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};
use std::fmt::Write as _;

/// The style sheet of all pages.
pub const STYLE: &str = include_str!("site.css");
pub const SCRIPT: &str = include_str!("site.js");

/// Renders Markdown. HTML in it is shown as text, pictures as their descriptions, and links lead to pages and to the web
/// only: documentation may come from anybody.
pub fn of_markdown(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES;
    let plain = |event: Event<'_>| match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text.into_string().into())),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = if is_safe(&dest_url) { dest_url.into_string() } else { String::new() };
            let (dest_url, title, id) = (dest_url.into(), owned(&title), owned(&id));
            Some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
        }
        other => Some(other.into_static()),
    };
    let mut out = String::new();
    html::push_html(&mut out, Parser::new_ext(markdown, options).filter_map(plain));
    out
}

fn owned(text: &CowStr) -> CowStr<'static> {
    text.to_string().into()
}

/// Whether a link leads to a page of this site or to the web.
fn is_safe(link: &str) -> bool {
    let scheme = link.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_none_or(|scheme| scheme.contains(['/', '#', '?']) || matches!(scheme, "http" | "https" | "mailto"))
}

pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A whole page. `root` leads from it to the folder of the site, and `contents` are the titles and addresses of all pages.
pub fn page(title: &str, root: &str, contents: &[(String, String)], markdown: &str) -> String {
    let mut nav = String::new();
    for (title, address) in contents {
        let _ = writeln!(nav, "<li><a href=\"{root}{}\">{}</a></li>", escaped(address), escaped(title));
    }
    format!(
        "<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>{title}</title>
<link rel=\"stylesheet\" href=\"{root}site.css\">
</head>
<body>
<nav>
<input id=\"search\" type=\"search\" placeholder=\"Search (/)\" aria-label=\"Search\">
<ul id=\"found\"></ul>
<h2><a href=\"{root}index.html\">Pages</a></h2>
<ul>
{nav}</ul>
</nav>
<main>
{body}</main>
<script src=\"{root}index.js\"></script>
<script src=\"{root}site.js\" data-root=\"{root}\"></script>
</body>
</html>
",
        title = escaped(title),
        body = of_markdown(markdown),
    )
}
