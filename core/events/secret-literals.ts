// Redacts known secret values in every encoding: plain, URL-encoded, form-encoded, JSON-escaped (also repeatedly),
// HTML-escaped, and combinations.
import { REDACTED } from './secret-patterns.ts'

// Shorter values are common words and numbers; they are redacted only by field name.
const MIN_LENGTH = 8
// Common words of log lines, never redacted. Names of plugins and of their declarations are added at run time.
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
  'importer',
  'notifier',
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

type ReplaceLiterals = (text: string) => string

const NO_NAMES: ReadonlySet<string> = new Set()

/**
 * Returns a function that replaces the given values. The pattern is recompiled only when values or names change.
 * @param publicNames for example ids of plugins; a value that is part of one is ignored
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
  // Longest first, so that a prefix does not leave the remainder of a longer secret.
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
