// Redacts secrets by syntax: `token=…`, `"api_key":"…"`, `Authorization: …`, `?code=…`, `http://user:password@host`.
// For unknown values; known ones are handled by secret-literals.ts.
import { isSecretPath } from '@playhead/sdk'

export const REDACTED = '[redacted]'

// Fast path: most lines contain none of these.
const HINT =
  /token|key|secret|pass|pwd|cookie|auth|hash|salt|session|sid|pin|bearer|basic|device|code|state|webhook|:\/\/|eyJ|plh_/i

// Each name is tried once, at its start, with a bounded length: linear time on any input.
const NAME = /(?<![\w-])([A-Za-z_][\w-]{1,63})(?:\\*["'])?\s{0,4}(?:=>|=|:)\s{0,4}/g
const ENCODED_PAIR = /(%26|%3F)([A-Za-z_][\w-]{1,63})%3D((?:(?!%26)[^\s&"'])+)/gi

const USER_INFO = /(?<=:\/\/)([^\s/?#"'<>:@]*):[^\s/"'<>]*@/g
const FLOW_PARAMETER = /([?&](?:code|state|oauth_verifier)=)[^\s&"'#<>]+/gi
const BEARER = /\b(Bearer)(\s{1,4}|%20)[\w.~+/=%-]{4,}/gi
// In prose "basic" is followed by a lower-case word, in a header rarely.
const BASIC = /\b([Bb]asic)(\s{1,4}|%20)(?![a-z]+\b)[\w.~+/=%-]{8,}/g
/** API tokens of Playhead, see core/auth/token-table.ts. */
const API_TOKEN = /\bplh_[\w-]{20,}/g
const SIGNED_TOKEN = /\beyJ[\w-]{10,}\.[\w-]{10,}(?:\.[\w-]*)?/g

/** Replaces everything with the syntax of a secret. */
export function redactPatterns(text: string): string {
  if (!HINT.test(text)) return text
  const simple = text
    .replace(USER_INFO, `$1:${REDACTED}@`)
    .replace(FLOW_PARAMETER, `$1${REDACTED}`)
    .replace(BEARER, `$1$2${REDACTED}`)
    .replace(BASIC, `$1$2${REDACTED}`)
    .replace(SIGNED_TOKEN, REDACTED)
    .replace(API_TOKEN, REDACTED)
    .replace(ENCODED_PAIR, (pair, lead: string, name: string) =>
      isSecretName(name) ? `${lead}${name}%3D${REDACTED}` : pair,
    )
  return redactPairs(simple)
}

const SECRET_NAMES = new Set(['cw_auth', 'sessionid', 'sid', 'pwd', 'pin'])
const SECRET_ENDINGS =
  /(?:^|_)(?:password|passwd|passphrase|secret|api_?key|access_key|private_key|cookie|authorization)$/
const known = new Map<string, boolean>()

/** True if the field name denotes a secret, in any spelling: `accessToken`, `ACCESS_TOKEN`, `X-Access-Token`. */
export function isSecretName(name: string): boolean {
  let secret = known.get(name)
  if (secret === undefined) {
    const plain = name
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/[-.\s]/g, '_')
      .toLowerCase()
    secret = isSecretPath([plain]) || SECRET_NAMES.has(plain) || SECRET_ENDINGS.test(plain)
    if (known.size >= 2_000) known.clear()
    known.set(name, secret)
  }
  return secret
}

function redactPairs(text: string): string {
  let redacted = ''
  let done = 0
  NAME.lastIndex = 0
  for (let match = NAME.exec(text); match !== null; match = NAME.exec(text)) {
    const start = NAME.lastIndex
    if (!isSecretName(match[1] as string) || start >= text.length) continue
    // An address is not a secret; secrets inside are found by their own patterns.
    if (/^\w+:\/\//.test(text.slice(start, start + 12))) continue
    const value = findValue(text, start, match[1] as string, match[0])
    if (value.end === value.start) continue
    redacted += text.slice(done, value.start) + REDACTED
    done = value.end
    NAME.lastIndex = value.end
  }
  return done === 0 ? text : redacted + text.slice(done)
}

const QUOTED = /"((?:[^"\\]|\\[\s\S])*)|'((?:[^'\\]|\\[\s\S])*)/y
const ESCAPED_QUOTE = /\\+["']/y
const REST_OF_LINE = /[^\r\n]+/y
// A backslash ends the value only if it escapes a quote or a line break, as in nested JSON.
const BARE = /(?:[^\s&"'<>\\]|\\(?!["'nr]))+/y

// The range to replace: the inside of quotes, a whole list or object, the remaining header line, or one word.
function findValue(text: string, start: number, name: string, pair: string): { start: number; end: number } {
  const first = text[start] as string
  if (first === '[' || first === '{')
    return { start, end: text.startsWith(REDACTED, start) ? start : endOfGroup(text, start) }
  if (first === '"' || first === "'") return { start: start + 1, end: endOf(QUOTED, text, start) }
  const escaped = first === '\\' ? endOf(ESCAPED_QUOTE, text, start) : start
  if (escaped > start) {
    const closing = findClosing(text, escaped, text.slice(start, escaped))
    return { start: escaped, end: closing }
  }
  const isHeader = /cookie$/i.test(name) || (/authorization$/i.test(name) && pair.includes(':'))
  return { start, end: endOf(isHeader ? REST_OF_LINE : BARE, text, start) }
}

function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : start
}

// The same quote with the same number of backslashes; more belong to a nested quote.
function findClosing(text: string, from: number, quote: string): number {
  let at = text.indexOf(quote, from)
  while (at > from && text[at - 1] === '\\') at = text.indexOf(quote, at + 1)
  return at === -1 ? text.length : at
}

function endOfGroup(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (char === '[' || char === '{') depth++
    else if ((char === ']' || char === '}') && --depth === 0) return at + 1
  }
  return text.length
}
