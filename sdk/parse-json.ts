// JSON.parse with a depth limit: very deep nesting blocks the event loop for seconds.

const MAX_DEPTH = 256
const [QUOTE, BACKSLASH] = [34, 92]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/** As `JSON.parse`. Throws a `SyntaxError` for invalid JSON and for more than 256 levels of nesting. */
export function parseJson(text: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown {
  if (isTooDeep(text)) throw new SyntaxError('The text is nested too deeply.')
  return JSON.parse(text, reviver)
}

function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1
      if (depth > MAX_DEPTH) return true
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1
  }
  return false
}

function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((end - before) % 2 === 1) return end
  }
  return text.length
}
