#pragma once
/// \file
/// A page of figures in one file, which loads nothing from a network and runs no script.

#include <string>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/report/figure.hpp>
#include <gpuplan/report/svg_palette.hpp>
#include <gpuplan/report/svg_text.hpp>
#include <gpuplan/report/table.hpp>

namespace gpuplan {

/// A line of a page's summary: what, and its words.
struct page_fact {
  std::string what;
  std::string words;
};

/// Figures with a title, a summary, and paragraphs before and after.
struct html_page {
  std::string title;
  std::vector<page_fact> facts{};   ///< the answer at a glance, in a frame under the title
  std::vector<std::string> lead{};  ///< paragraphs under the title
  std::vector<figure> figures{};
  std::vector<std::string> notes{};  ///< paragraphs at the end
};

namespace detail {

inline constexpr std::string_view page_style =
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:12px;max-width:1000px;color:var(--ink);background:var(--paper);"
    "font:16px/1.5 sans-serif}\n"
    "h1{font-size:1.5em;line-height:1.25;overflow-wrap:anywhere}\n"
    "h2{font-size:1.2em;margin:2em 0 .3em;overflow-wrap:anywhere}\n"
    "dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.2em 1em;margin:1em 0;"
    "padding:.7em 1em;border:2px solid var(--quiet);border-radius:6px;background:var(--band)}\n"
    "dt{color:var(--quiet)}\ndd{margin:0;overflow-wrap:anywhere}\n"
    "@media screen and (max-width:520px){dl{grid-template-columns:minmax(0,1fr);gap:0}"
    "dd{margin-bottom:.5em}}\n"
    "p{margin:.4em 0;max-width:46em;overflow-wrap:anywhere}\n"
    ".wide{display:none}\n.narrow{max-width:520px}\n"
    "@media screen and (min-width:720px),print{.wide{display:block}.narrow{display:none}}\n"
    ".drawn{margin:1em 0}\n"
    ".scroll{overflow-x:auto;background:"
    "linear-gradient(to right,var(--paper) 30%,transparent) left/40px 100% no-repeat local,"
    "linear-gradient(to left,var(--paper) 30%,transparent) right/40px 100% no-repeat local,"
    "linear-gradient(to right,var(--quiet),transparent) left/10px 100% no-repeat scroll,"
    "linear-gradient(to left,var(--quiet),transparent) right/10px 100% no-repeat scroll}\n"
    ".cue{color:var(--quiet);font-size:.85em}\n@media print{.cue{display:none}}\n"
    ".long{max-height:32em;overflow-y:auto;border-bottom:1px solid var(--grid)}\n"
    ".long thead th{position:sticky;top:0;background:var(--paper)}\n"
    "table{border-collapse:collapse;font-size:.85em;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.25em .7em;text-align:left;vertical-align:top;white-space:nowrap;"
    "border-bottom:1px solid var(--grid)}\n"
    "@media (min-width:720px){td.words{white-space:normal;min-width:22em}}\n"
    "th{color:var(--quiet);font-weight:normal;border-bottom-color:var(--quiet)}\n"
    "th.right,td.right{text-align:right}\n"
    "tbody tr:nth-child(even){background:rgba(128,136,148,.08)}\n"
    "@media print{body{max-width:none;font-size:11px}.scroll{overflow:visible;max-height:none}"
    ".drawn{break-inside:avoid}h2{break-after:avoid}tr{break-inside:avoid}"
    "th,td{white-space:normal;padding:.25em "
    ".45em}td.right{white-space:nowrap}td:not(.right){overflow-wrap:anywhere}}"
    "\n";

inline std::string cell_markup(const figure_cell& cell) {
  if (!cell.value) return escaped(cell.text);
  return fmt::format("<data value=\"{:.17g}\">{}</data>", *cell.value, escaped(cell.text));
}

inline std::string table_markup(const figure_table& rows, const std::string& name) {
  constexpr std::size_t long_text = 30;
  constexpr std::size_t long_table = 30;  // above so many rows it scrolls by itself
  const auto side_of = [](const column& head) {
    return head.side == column_side::right ? " class=\"right\"" : "";
  };
  const bool is_long = rows.rows.size() > long_table;
  std::string markup;
  if (is_long)
    markup = fmt::format("<p class=\"cue\">{} rows; scroll in the table to see all.</p>\n",
                         rows.rows.size());
  markup += fmt::format(
      "<div class=\"scroll{1}\" tabindex=\"0\" role=\"region\" aria-labelledby=\"{0}\">"
      "<table id=\"{0}-table\">\n<thead><tr>",
      name, is_long ? " long" : "");
  for (const column& head : rows.columns)
    markup += fmt::format("<th scope=\"col\"{}>{}</th>", side_of(head), escaped(head.title));
  markup += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows.rows) {
    markup += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool words = !row[i].value && row[i].text.size() > long_text;
      markup += fmt::format("<td{}>{}</td>", words ? " class=\"words\"" : side_of(rows.columns[i]),
                            cell_markup(row[i]));
    }
    markup += "</tr>\n";
  }
  if (rows.rows.empty())
    markup += fmt::format("<tr><td colspan=\"{}\">No data</td></tr>\n", rows.columns.size());
  return markup + "</tbody></table></div>\n";
}

}  // namespace detail

/// The page.  Numbers stand in tables as `data` elements with their value in base units.  The first
/// line of its head forbids whatever would load or run something, whoever wrote the names in it.
inline std::string html(const html_page& page) {
  std::string markup = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{0}</title>\n<style>\n{1}{2}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n",
      escaped(page.title), picture_style(), detail::page_style);
  if (!page.facts.empty()) {
    markup += "<dl>\n";
    for (const page_fact& one : page.facts)
      markup += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(one.what), escaped(one.words));
    markup += "</dl>\n";
  }
  for (const std::string& paragraph : page.lead)
    markup += fmt::format("<p>{}</p>\n", escaped(paragraph));
  for (const figure& one : page.figures) {
    markup += fmt::format("<section>\n<h2 id=\"{0}\">{1}</h2>\n<p>{2}</p>\n", one.name,
                          escaped(one.words.title), escaped(one.words.description));
    if (!one.wide.empty())
      markup += fmt::format(
          "<div class=\"drawn narrow\">\n{}</div>\n<div class=\"drawn wide\">\n{}"
          "</div>\n",
          one.narrow, one.wide);
    markup += detail::table_markup(one.table, one.name) + "</section>\n";
  }
  for (const std::string& note : page.notes) markup += fmt::format("<p>{}</p>\n", escaped(note));
  return markup + "</main>\n</body>\n</html>\n";
}

}  // namespace gpuplan
