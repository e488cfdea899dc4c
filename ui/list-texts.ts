// `npm run texts`: prints every text of the pages with its name, for proofreading.
import { glob } from 'node:fs/promises'
import { join } from 'node:path'

const EN = join(import.meta.dirname, 'texts/en')

/** All texts of a module with their names, such as `home.empty.title`. */
export function textsOf(tree: unknown, name = ''): (readonly [name: string, text: string])[] {
  if (typeof tree === 'string') return [[name, tree]]
  return Object.entries(tree as object).flatMap(([key, part]) => textsOf(part, name === '' ? key : `${name}.${key}`))
}

if (import.meta.main) {
  for await (const file of glob('*.ts', { cwd: EN })) {
    const module: unknown = await import(join(EN, file))
    for (const [name, text] of textsOf(module)) process.stdout.write(`${name}\t${text}\n`)
  }
}
