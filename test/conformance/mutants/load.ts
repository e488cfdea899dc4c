// Writes mutants into separate folders and opens them for the kit.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSubject, type Subject } from '@playhead/sdk/testing/conformance'
import type { Mutant } from './mutants.ts'
import adapter from './reel/conformance.ts'

const REEL = join(import.meta.dirname, 'reel')
const SDK = join(import.meta.dirname, '..', '..', '..', 'sdk')
/** More rows than one page of a service with 250 rows per page. */
const MANY = 300

export interface Workshop extends AsyncDisposable {
  /** Throws the plugin's load error. */
  open(mutant: Pick<Mutant, 'swap' | 'manifest'>, options?: { readonly isolated?: boolean }): Promise<Subject>
}

export async function openWorkshop(): Promise<Workshop> {
  const root = await mkdtemp(join(tmpdir(), 'playhead-mutants-'))
  await mkdir(join(root, 'node_modules', '@playhead'), { recursive: true })
  await symlink(SDK, join(root, 'node_modules', '@playhead', 'sdk'))
  const source = await readFile(join(REEL, 'index.ts'), 'utf8')
  const manifest = JSON.parse(await readFile(join(REEL, 'plugin.json'), 'utf8')) as object
  let made = 0

  return {
    async open({ swap = [], manifest: other = {} }, { isolated = false } = {}) {
      const folder = join(root, `mutant-${(made += 1)}`)
      await mkdir(folder)
      await writeFile(join(folder, 'index.ts'), swapped(source, swap))
      await writeFile(join(folder, 'plugin.json'), JSON.stringify({ ...manifest, ...other }))
      return openSubject({ folder, adapter, items: MANY, isolated })
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 10 }),
  }
}

function swapped(source: string, swap: NonNullable<Mutant['swap']>): string {
  let text = source
  for (const [from, to] of swap) {
    const parts = text.split(from)
    if (parts.length !== 2) throw new Error(`${JSON.stringify(from)} is there ${parts.length - 1} times`)
    text = parts.join(to)
  }
  return text
}
