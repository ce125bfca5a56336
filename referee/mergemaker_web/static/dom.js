// Small helpers for elements. Texts of records reach a page only as text nodes and attributes, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const NAME_CHARACTERS_MAX = 40;
// Controls, and what reverses, joins or hides characters: all that Unicode calls "other".
const OTHER = /\p{C}/gu;
const OTHER_BUT_LINES = /[^\P{C}\n]/gu;

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat());
  return element;
}

/** An element of HTML with attributes, listeners (`onclick`) and children, which are nodes or texts. */
export const el = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

/** The same of SVG. */
export const svg = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

/** Sets a text, if it is another one: so a live region speaks only of what is new. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets or removes an attribute. */
export function setAttribute(element, name, value) {
  if (value === null || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** A text from outside in one line, without characters that change the line around them. */
export const oneLine = (text) => String(text).split(/\s+/u).filter(Boolean).join(" ").replace(OTHER, "\uFFFD");

/** The same for a text of several lines. */
export const manyLines = (text) => String(text).replace(/\r\n?/g, "\n").replace(/\t/g, " ").replace(OTHER_BUT_LINES, "\uFFFD");

/** A name from outside, cut to a length that a page can show. */
export function shortName(text) {
  const characters = [...oneLine(text)];
  return characters.length > NAME_CHARACTERS_MAX ? `${characters.slice(0, NAME_CHARACTERS_MAX - 1).join("")}…` : characters.join("") || "?";
}
