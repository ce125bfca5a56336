// What a page carries: bytes in base64, packed by gzip, that hold one JSON document.

const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;

/** The bytes that a text holds, in base64 of either alphabet. */
export const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

async function through(bytes, transform) {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const parts = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > UNPACKED_BYTES_MAX) throw new Error("what is packed here is too large to be a match");
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** The document that a text holds. */
export async function unpack(text) {
  if (typeof DecompressionStream !== "function") {
    throw new Error("This browser is too old to unpack the match. Chrome 97, Firefox 113 and Safari 16.4 or newer can.");
  }
  const bytes = await through(bytesOf(text.trim()), new DecompressionStream("gzip"));
  return JSON.parse(new TextDecoder().decode(bytes));
}
