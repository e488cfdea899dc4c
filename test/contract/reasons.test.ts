// Every reason in the code of a service plugin is in its api.json, with its meaning and at the operations that return it.
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'

const SERVICES = join(import.meta.dirname, '..', '..', 'plugins', 'services')

/** Reasons that no response has: they are results of background work. */
const OF_WORK: Readonly<Record<string, readonly string[]>> = {
  // Of the capability `problems:analyzer`; the plugin `problems` returns it.
  analyzer: ['invalid_problem'],
  // The state of a job.
  captures: ['cancelled'],
  imports: ['read_doubtful', 'undo_incomplete', 'writes_stopped'],
  // The result of an action that several requests share.
  insights: ['invalid_recalculate'],
  // Of the capability `setup:playlists`; the plugin `recipes` returns it.
  playlists: ['pair_running'],
  // The log of deliveries.
  scheduling: ['private_address', 'redirected'],
}
/** Its reasons are those of runs, plans and lists; the plugins above use the capabilities that return them. */
const SHARED = new Set(['sync'])

interface ApiFile {
  readonly reasons?: Readonly<Record<string, string>>
  readonly operations?: Readonly<Record<string, { readonly errors?: Readonly<Record<string, readonly string[]>> }>>
}

for await (const name of glob('*/api.json', { cwd: SERVICES })) {
  const id = name.split('/')[0]!
  if (SHARED.has(id)) continue
  t.test(`${id}: every returned reason is documented`, async (t) => {
    const { reasons = {}, operations = {} } = JSON.parse(await readFile(join(SERVICES, name), 'utf8')) as ApiFile
    const named = new Set(Object.values(operations).flatMap(({ errors = {} }) => Object.values(errors).flat()))
    const codes = new Set<string>()
    for await (const file of glob('**/*.ts', { cwd: join(SERVICES, id) })) {
      const text = await readFile(join(SERVICES, id, file), 'utf8')
      for (const [, rest = ''] of text.matchAll(/wire: ([^\n]*)/g))
        for (const [, code = ''] of rest.matchAll(/'([a-z][a-z0-9_]+)'/g)) codes.add(code)
      for (const [, code = ''] of text.matchAll(/\b(?:invalid|conflict|notFound)\(\s*'([a-z0-9]+(?:_[a-z0-9]+)+)'/g))
        codes.add(code)
    }
    const wanted = [...codes].filter((code) => OF_WORK[id]?.includes(code) !== true).sort()
    t.same(
      wanted.filter((code) => reasons[code] === undefined),
      [],
      'each has its meaning',
    )
    t.same(
      wanted.filter((code) => !named.has(code)),
      [],
      'each is named by an operation',
    )
  })
}
