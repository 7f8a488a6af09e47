#include <gpuplan/report/html.hpp>

#include <gpuplan/report/waterfall.hpp>

#include "support/catch.hpp"
#include "support/markup.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::units;
using testing::count_of;

html_page some_page(const std::string& name) {
  html_page page{
      .title = name, .facts = {{name, name}}, .lead = {name}, .figures = {}, .notes = {name}};
  waterfall chart = step_time_chart({.optimizer = 0.1 * second});
  chart.words = {name, name};
  chart.terms[0].name = name;
  page.figures.push_back(figure_of("step", chart));
  page.figures.push_back(
      {.name = "rows", .words = {name, name}, .table = {{{name}}, {{figure_cell{name}}}}});
  page.figures.push_back({.name = "none", .words = {"None", ""}, .table = {{{"a"}, {"b"}}}});
  return page;
}

TEST_CASE("a page is well formed whatever its names are", "[report]") {
  for (const std::string name :
       {"Llama 3", "</title><script>alert(1)</script>", "\"' onload='x' <img src=http://a.b/c>",
        "a\x01\xff&nbsp;", "\xe2\x80\xae\xe6\xbc\xa2"}) {
    const std::string markup = html(some_page(name));
    CHECK(testing::markup_fault(markup).empty());
    CHECK(markup.find("<script") == std::string::npos);
    CHECK(markup.find("<img") == std::string::npos);
    CHECK(count_of("<svg", markup) == 2);
  }
}

TEST_CASE("a page asks nothing of a network", "[report]") {
  const std::string markup = html(some_page("Llama 3"));
  CHECK(markup.find("default-src 'none'; style-src 'unsafe-inline'") != std::string::npos);
  for (const char* part : {"src=", "href=", "@import", "<link", "<script", "@font-face"})
    CHECK(markup.find(part) == std::string::npos);
  CHECK(count_of("http", markup) == 1 + 2);  // http-equiv, and the name of SVG's elements
}

TEST_CASE("numbers of a table keep every digit", "[report]") {
  const std::string markup = html(some_page("Llama 3"));
  CHECK(markup.find(">Llama 3</td>") != std::string::npos);
  CHECK(markup.find("<data value=\"0.10000000000000001\">100 ms</data>") != std::string::npos);
  CHECK(markup.find("<td colspan=\"2\">No data</td>") != std::string::npos);
}

TEST_CASE("ids are given once", "[report]") {
  const std::string markup = html(some_page("Llama 3"));
  for (const char* id : {"step", "step-table", "step-narrow-title", "step-wide-title", "rows"})
    CHECK(count_of(std::string(" id=\"") + id + "\"", markup) == 1);
}

}  // namespace
