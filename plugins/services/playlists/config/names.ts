// Validates names from people.
import { invalid } from './refusals.ts'

/** Maximum length of a name, in characters. */
export const MAX_NAME = 64
/** Maximum length of the title of a new list, in characters. */
export const MAX_TITLE = 100

const FIRST = /^[\p{L}\p{N}]/u
const ALLOWED = /^[\p{L}\p{N}\p{M} _.'\-&()]*$/u

export interface Problem {
  readonly field: string
  readonly code: string
  readonly message: string
}

export function problem(field: string, code: string, message: string): Problem {
  return { field, code, message }
}

export function nameProblem(name: string, field = 'name', limit = MAX_NAME): Problem | undefined {
  if (name === '') return problem(field, 'name_required', 'A name is required.')
  if ([...name].length > limit) return problem(field, 'name_too_long', `A name has at most ${limit} characters.`)
  if (!FIRST.test(name)) return problem(field, 'name_bad_start', 'A name starts with a letter or a number.')
  if (ALLOWED.test(name)) return undefined
  return problem(field, 'name_bad_chars', "A name has letters, numbers, spaces and _ . ' - & ( ) only.")
}

/** The trimmed name. Throws 400 `name_…` with its field. */
export function readName(given: string, field = 'name', limit = MAX_NAME): string {
  const name = given.trim().normalize('NFC')
  const found = nameProblem(name, field, limit)
  if (found !== undefined) throw invalid(found.code, found.message, { field })
  return name
}

/** An allowed name: invalid characters are removed. Empty if none remain. */
export function toName(given: string, limit = MAX_NAME): string {
  const allowed = [...given.normalize('NFC')].filter((letter) => ALLOWED.test(letter)).join('')
  const named = allowed.replace(/^[^\p{L}\p{N}]+/u, '')
  return [...named].slice(0, limit).join('').trim()
}

/** `<name> <suffix>`, shortened to fit, with a number if it is already used. */
export function uniqueName(name: string, suffix: string, taken: readonly string[]): string {
  for (let n = 1; ; n += 1) {
    const end = n === 1 ? ` ${suffix}` : ` ${suffix} ${n}`
    const start = [...name]
      .slice(0, MAX_NAME - end.length)
      .join('')
      .trimEnd()
    const made = toName(start === '' ? end : start + end)
    if (!taken.includes(made)) return made
  }
}
