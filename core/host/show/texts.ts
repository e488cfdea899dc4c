// Translated texts of plugins: `texts/<language>.json` beside plugin.json maps English texts to translations, with
// `{name}` as placeholder.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { identityOf } from '../../storage/atomic-file.ts'
import { CORE_NOTES, NOTES_FILE, readNotes } from '../../http/openapi/notes.ts'
import type { Slot } from '../compose/slot.ts'

export const TEXTS_FOLDER = 'texts'
export const LANGUAGE_PATTERN = '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$'
const MAX_BYTES = 262_144
const PLACE = /\{\w+\}/g

type Texts = Readonly<Record<string, string>>

/** Empty if the plugin has no such file. Throws with a message for authors if the file is invalid. */
export async function readTexts(directory: string, language: string): Promise<Texts> {
  const file = join(directory, TEXTS_FOLDER, `${language}.json`)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  if (text.length > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES / 1024} KiB.`)
  return checkTexts(parsed(text, file), file)
}

/**
 * The texts of all plugins in a language, and the English meaning of each reason code. Bundled plugins come first, so
 * that others can only add to them.
 */
export async function textsOf(
  slots: Iterable<Slot>,
  language: string,
  onProblem: (plugin: string, error: unknown) => void,
): Promise<{ readonly texts: Texts; readonly reasons: Texts }> {
  const ordered = [...slots].sort((a, b) => rankOf(a) - rankOf(b) || (a.id < b.id ? -1 : 1))
  const read = ordered.map(async ({ id, directory }) => {
    const texts = await readTexts(directory, language).catch((error: unknown) => {
      onProblem(id, error)
      return {}
    })
    return { texts, notes: await readNotes(directory) }
  })
  const all = [{ texts: {}, notes: await readNotes(CORE_NOTES) }, ...(await Promise.all(read))].reverse()
  return {
    texts: Object.assign({}, ...all.map(({ texts }) => texts)) as Texts,
    reasons: Object.assign({}, ...all.map(({ notes }) => notes.reasons)) as Texts,
  }
}

/** Changes with the files of plugins that people added; those of bundled plugins change with the installation. */
export async function stampOf(slots: Iterable<Slot>, language: string): Promise<string> {
  const files = [...slots].flatMap(({ registered, directory }) =>
    registered.origin === 'bundled'
      ? []
      : [join(directory, TEXTS_FOLDER, `${language}.json`), join(directory, NOTES_FILE)],
  )
  const stamps = files.map((file) => stat(file, { bigint: true }).then(identityOf, () => ''))
  return (await Promise.all(stamps)).join()
}

function rankOf({ registered }: Slot): number {
  return registered.origin === 'bundled' ? 0 : 1
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}`, { cause: error })
  }
}

function checkTexts(value: unknown, file: string): Texts {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${file} is not an object of texts by their English text.`)
  for (const [english, own] of Object.entries(value)) {
    if (typeof own !== 'string' || own.trim() === '') throw new Error(`${file}: "${english}" has no text.`)
    if (placesOf(own) !== placesOf(english))
      throw new Error(`${file}: "${english}" and its text have different places in braces.`)
  }
  return value as Texts
}

function placesOf(text: string): string {
  return [...new Set(text.match(PLACE) ?? [])].sort().join(' ')
}
