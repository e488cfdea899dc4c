// The contract of the SDK is in the repository, so that a review shows its changes.
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { compileSdk, moduleEntries, readManifest } from '../../sdk/build.ts'
import { API_FILE, apiReport } from '../../sdk/generate-api.ts'

const ROOT = join(import.meta.dirname, '../..')
const compiled = await compileSdk({ onlyDeclarations: true })
t.teardown(() => rm(compiled, { recursive: true, force: true }))

t.test('the contract of the SDK matches the reviewed one', async (t) => {
  const [then, now] = [await readFile(API_FILE, 'utf8'), await apiReport(compiled)].map((text) => text.split('\n'))
  const [before, after] = [new Set(then), new Set(now)]
  const difference = [
    ...(then ?? []).filter((line) => !after.has(line)).map((line) => `- ${line}`),
    ...(now ?? []).filter((line) => !before.has(line)).map((line) => `+ ${line}`),
  ]
  t.ok(
    then?.join('\n') === now?.join('\n'),
    `run npm run generate:api and review the difference\n${difference.slice(0, 20).join('\n')}`,
  )
})

t.test('the report lists exports of an entry, without comments, and their types', async (t) => {
  const index = join(compiled, 'sdk/index.d.ts')
  const before = await apiReport(compiled)
  const added = [
    '/** A comment. */',
    'interface Behind { readonly one: "//" }',
    'export interface NewShape { readonly behind: Behind }',
  ]
  await writeFile(index, `${await readFile(index, 'utf8')}\n${added.join('\n')}\n`)
  const after = await apiReport(compiled)
  const known = new Set(before.split('\n'))
  t.same(
    after.split('\n').filter((line) => !known.has(line)),
    ['interface NewShape { readonly behind: Behind }', 'interface Behind { readonly one: "//" }'],
  )
})

t.test('all entries of the package are compiled', async (t) => {
  const config = JSON.parse(await readFile(join(ROOT, 'sdk/tsconfig.build.json'), 'utf8')) as { files: string[] }
  const entries = [...moduleEntries(await readManifest()).values()].map((module) => `${module.slice('sdk/'.length)}.ts`)
  t.same(config.files.toSorted(), entries.toSorted())
})
