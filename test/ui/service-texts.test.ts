// Every text that the service sends has a German translation: texts of the core in ui/texts/de, texts of a plugin in
// texts/de.json beside its plugin.json, which external plugins may also have.
import { cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { readTexts } from '../../core/host/show/texts.ts'
import { elsewhere } from '../../ui/pages/settings/elsewhere.ts'
import { service as core } from '../../ui/texts/de/service.ts'
import { openSandbox } from '../core/cli/support.ts'
import { startService, until } from '../harness.ts'
import { textsOfService } from './service-texts.ts'

const ROOT = join(import.meta.dirname, '..', '..')

const service = await startService({ shipped: true, watch: false })
atEndOfFile(() => service[Symbol.asyncDispose]())
const german = async (from = service) => (await from.json('/api/plugin-texts/de')).body

t.test('every visible text has a German translation, in the plugin that owns it', async (t) => {
  const said = await textsOfService(service)
  t.ok(said.length > 1_000)
  const { texts } = await german()
  t.same(
    said.filter(({ text }) => !(text in core) && !(text in texts)).map(({ text, plugins }) => [[...plugins], text]),
    [],
  )
})

/** Fields of `ui` and of updates have forms on their own pages. */
const ON_A_PAGE = new Set(['ui', 'plugins.version'])
interface Field {
  readonly path: string
  readonly title: string
  readonly description: string | null
}

/** Faults in the texts of a setting. */
function faultsOf(title: string, description: string | undefined): string[] {
  if (description === undefined) return ['no description']
  const words = (text: string) => text.toLowerCase().match(/[\p{L}\d]+/gu) ?? []
  const own = new Set(words(title))
  return [
    ...(/^[\p{Lu}\d]/u.test(title) && !title.endsWith('.') ? [] : ['a title that is not in sentence case']),
    ...(/\((?:[^)]* )?(?:%|ms|s|h|min)\)/.test(title) ? ['a unit that is not in words'] : []),
    ...(/^[\p{Lu}\d]/u.test(description) ? [] : ['a description that begins lower-case']),
    ...(/\.$/.test(description) ? [] : ['a description without a period']),
    ...(words(description).every((word) => own.has(word)) ? ['a description that repeats the title'] : []),
  ]
}

t.test('every setting has a title, and a description as a sentence, in both languages', async (t) => {
  const { texts } = await german()
  const inGerman = (text: string): string => (core as Record<string, string>)[text] ?? texts[text] ?? text
  const { sections } = (await service.json('/api/config/fields')).body as {
    sections: readonly { readonly path: string; readonly kind: string; readonly fields: readonly Field[] }[]
  }
  const { features } = (await service.json('/api/sync/features')).body as {
    features: readonly { readonly feature: string; readonly schema: { readonly properties: Record<string, Field> } }[]
  }
  const fields = [
    ...sections
      .filter(({ path, kind }) => elsewhere({ path, kind }) === undefined || ON_A_PAGE.has(path))
      .flatMap(({ path, fields: own }) => own.map((field) => ({ ...field, path: `${path}.${field.path}` }))),
    ...features.flatMap(({ feature, schema }) =>
      Object.entries(schema.properties)
        .filter(([, field]) => !('deprecated' in field))
        .map(([name, field]) => ({ ...field, path: `${feature}.${name}` })),
    ),
  ]
  t.ok(fields.length > 150)
  t.same(
    fields.flatMap(({ path, title, description }) =>
      [
        ...faultsOf(title, description ?? undefined),
        ...(description == null
          ? []
          : faultsOf(inGerman(title), inGerman(description)).map((one) => `${one} (German)`)),
      ].map((fault) => `${path}: ${fault}: "${title}", "${description}"`),
    ),
    [],
  )
})

t.test('text files are well-formed, and contain no unused texts', async (t) => {
  const said = new Set((await textsOfService(service)).map(({ text }) => text))
  let files = 0
  for await (const file of glob('plugins/*/*/texts/*.json', { cwd: ROOT })) {
    files += 1
    const folder = join(ROOT, file, '../..')
    const own = await readTexts(folder, file.slice(file.lastIndexOf('/') + 1, -'.json'.length))
    const stale = Object.keys(own).filter((text) => !said.has(text))
    const sources = stale.length === 0 ? '' : await sourcesOf(folder)
    t.same(
      stale.filter((text) => !sources.includes(JSON.stringify(text).slice(1, -1)) && !sources.includes(text)),
      [],
      file,
    )
  }
  t.ok(files > 60)
})

t.test('each reason code has a meaning, which is shown for errors with other messages', async (t) => {
  const { reasons, texts } = await german()
  t.equal(reasons.backup_not_found, 'This backup does not exist.')
  t.same(
    Object.entries<string>(reasons).filter(([, text]) => !(text in core) && !(text in texts)),
    [],
  )
})

t.test(
  'a language without plugin texts is empty, an invalid one is refused, and unchanged texts are not sent again',
  async (t) => {
    t.same((await service.json('/api/plugin-texts/eo')).body.texts, {})
    t.equal((await service.json('/api/plugin-texts/..%2Fde')).status, 422)
    const answer = await service.call('/api/plugin-texts/de')
    const again = await service.call('/api/plugin-texts/de', {
      headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
    })
    t.equal(again.status, 304)
  },
)

t.test(
  'an external plugin adds texts, and cannot change texts of others; a bad file affects only its plugin',
  async (t) => {
    await using sandbox = await openSandbox()
    const folder = join(sandbox.folder, 'late-nights')
    await cp(join(ROOT, 'test/plugins-outside/late-nights'), folder, { recursive: true })
    const file = join(folder, 'texts/de.json')
    const good = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>
    await mkdir(join(folder, 'texts'), { recursive: true })
    await writeFile(file, JSON.stringify({ ...good, 'This backup does not exist.': 'Gelogen.' }))
    t.match(await sandbox.cliWithoutTypeScript('plugin', 'check', 'late-nights'), { code: 0, output: /ok +texts +de/ })
    t.equal((await sandbox.cli('plugin', 'add', 'late-nights')).code, 0)
    await using own = await startService({ shipped: true, watch: false, directory: sandbox.folder })
    await until('the plugin', async () => (await own.plugin('late-nights')).state === 'active')
    const { texts } = await german(own)
    t.match(texts, good)
    t.equal(texts['This backup does not exist.'], 'Dieses Backup gibt es nicht.')

    const [english = ''] = Object.keys(good)
    for (const text of ['Anders', 'Wieder anders']) {
      await writeFile(file, JSON.stringify({ [english]: text }))
      t.equal((await german(own)).texts[english], text, 'an edit is seen at once')
    }

    for (const bad of ['{', '[]', '{"Name":""}', '{"{n} plays":"viele"}']) {
      await writeFile(file, bad)
      const checked = await sandbox.cliWithoutTypeScript('plugin', 'check', 'late-nights')
      t.match(checked, { code: 1, output: /FAIL +texts/ }, bad)
      const { texts: others } = await german(own)
      t.equal(others['This backup does not exist.'], 'Dieses Backup gibt es nicht.', bad)
    }
  },
)

async function sourcesOf(folder: string): Promise<string> {
  const all: string[] = []
  for await (const file of glob('**/*.{ts,tsx,json}', { cwd: folder, exclude: ['texts/**'] }))
    all.push(await readFile(join(folder, file), 'utf8'))
  const text = all.join('\n')
  // What several plugins share has no texts of its own.
  const shared = new Set(
    Array.from(text.matchAll(/from '@playhead\/(media-browser|trakt-dialect)'/g), ([, name]) => name),
  )
  return [text, ...(await Promise.all([...shared].map((name) => sourcesOf(join(folder, '..', name ?? '')))))].join('\n')
}
