// Finds secrets whose value is known, in every way that text carries them: as they are, URL-encoded, form-encoded,
// JSON-escaped (also more than once) or HTML-escaped, and mixtures of these.
import { REDACTED } from './secret-patterns.ts'

// Shorter values are words and numbers that occur everywhere. They are redacted where the field is known that holds
// them.
const MIN_LENGTH = 8
// Longer words that occur in nearly every line: as a secret they are worth nothing, and without them no line could be
// read. Names of plugins, and what they declare, come with the plugins.
const COMMON = [
  'playhead',
  'playlists',
  'progress',
  'password',
  'passwords',
  'scheduler',
  'scheduling',
  'schedule',
  'settings',
  'provider',
  'providers',
  'instance',
  'profiles',
  'accounts',
  'username',
  'undefined',
  'function',
  'metadata',
  'insights',
  'analyzer',
  'exporter',
  'security',
  'services',
  'features',
  'plugins',
  'database',
  'localhost',
  '127.0.0.1',
  'connected',
  'completed',
  'changeme',
  'webhooks',
  'snapshot',
]

export type ReplaceLiterals = (text: string) => string

const NO_NAMES: ReadonlySet<string> = new Set()

/**
 * A function that replaces the given values. Its pattern is compiled again only when the values or the names are others
 * than before.
 * @param publicNames what everybody may read, for example the ids of plugins; a value that is part of one of them is
 * not looked for
 */
export function createLiteralRedaction(
  secretValues: () => ReadonlySet<string>,
  publicNames: () => ReadonlySet<string> = () => NO_NAMES,
): ReplaceLiterals {
  let seen: ReadonlySet<string> | undefined
  let names = NO_NAMES
  let values = new Set<string>()
  let pattern: RegExp | null = null

  return (text) => {
    const current = secretValues()
    const currentNames = publicNames()
    if (current !== seen || current.size !== values.size || currentNames !== names) {
      seen = current
      if (currentNames !== names || !sameValues(current, values)) {
        values = new Set(current)
        names = currentNames
        pattern = compile(values, names)
      }
    }
    return pattern === null ? text : text.replace(pattern, REDACTED)
  }
}

function sameValues(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && a.isSubsetOf(b)
}

function compile(values: ReadonlySet<string>, names: ReadonlySet<string>): RegExp | null {
  const publicText = [...COMMON, ...names].join('\n').toLowerCase()
  // Longest first: a secret that begins another one must not leave the rest of the longer one behind.
  const literals = [...values]
    .filter((value) => value.length >= MIN_LENGTH && !publicText.includes(value.toLowerCase()))
    .sort((a, b) => b.length - a.length)
  return literals.length === 0 ? null : new RegExp(literals.map(inAnyEncoding).join('|'), 'g')
}

const NAMED: Readonly<Record<string, readonly string[]>> = {
  ' ': ['\\+'],
  '"': ['\\\\+"', '&quot;', '&#34;'],
  "'": ["\\\\+'", '&#39;', '&apos;'],
  '&': ['&amp;'],
  '<': ['&lt;'],
  '>': ['&gt;'],
  '/': ['\\\\+/'],
  '\\': ['\\\\+'],
  '\n': ['\\\\+n'],
  '\r': ['\\\\+r'],
  '\t': ['\\\\+t'],
  '\b': ['\\\\+b'],
  '\f': ['\\\\+f'],
}

function inAnyEncoding(value: string): string {
  return [...value]
    .map((char) => {
      const plain = RegExp.escape(char)
      if (/[A-Za-z0-9]/.test(char)) return plain
      return `(?:${[plain, ...(NAMED[char] ?? []), percentEncoded(char), unicodeEscaped(char)].join('|')})`
    })
    .join('')
}

function percentEncoded(char: string): string {
  return [...Buffer.from(char, 'utf8')].map((byte) => `%(?:25)?${anyCase(byte.toString(16).padStart(2, '0'))}`).join('')
}

function unicodeEscaped(char: string): string {
  return char
    .split('')
    .map((unit) => `\\\\+u${anyCase(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`)
    .join('')
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}
