// slow: a browser, step by step
// Plugins in the browser while a plugin is edited on disk: find, reload, break and fix, page and panel, turn off and
// on, settings.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { until } from '../harness.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { isFit } from './looks.ts'

const ui = await startUi({ watch: true })
atEndOfFile(() => ui[Symbol.asyncDispose]())
const { service } = ui
type Opened = Awaited<ReturnType<typeof ui.open>>

const folder = join(service.directory, 'shelf')
const write = (name: string, text: string) => writeFile(join(folder, name), text)
const manifest = (title = 'Books') =>
  JSON.stringify({
    id: 'shelf',
    name: 'Shelf',
    version: '1.2.0',
    api: '^1.0.0',
    kind: 'service',
    description: 'Counts what stands on the shelf.',
    needs: { hosts: ['books.example', 'config:address'], storage: 2 * 1024 * 1024, database: true },
    routes: [{ method: 'GET', path: '/api/shelf/count' }],
    ui: {
      pages: [{ path: 'main', title, icon: 'books', module: 'page.ts' }],
      panels: [{ slot: 'home', title: 'On the shelf', module: 'panel.ts' }],
    },
  })
const source = ({ answer = 3, field = '' } = {}) => `import { definePlugin, Type } from '@playhead/sdk'
const Settings = Type.Object({
  address: Type.String({ default: '', description: 'Where the books are.' }),
  boards: Type.Integer({ default: 4, minimum: 1, maximum: 9, description: 'How many boards the shelf has.' }),
  ${field}
})
export default definePlugin<typeof Settings>({
  config: Settings,
  routes(app) {
    app.get('/api/shelf/count', {}, () => ({ count: ${answer} }))
  },
})
`
const pageSource = (words: string) => `import type { UiHost } from '@playhead/sdk'
export function mount(element: HTMLElement, host: UiHost) {
  const text = document.createElement('p')
  text.textContent = '${words}, ' + host.colorScheme
  const end = host.onColorScheme((scheme) => { text.textContent = '${words}, ' + scheme })
  const count = document.createElement('p')
  void host.request('/api/shelf/count').then(async (answer) => { count.textContent = (await answer.json()).count + ' books' })
  const away = document.createElement('button')
  away.textContent = 'To the pairs'
  away.addEventListener('click', () => host.navigate('/pairs'))
  element.append(text, count, away)
  return end
}
`
const panelSource = (words: string) =>
  `export const mount = (element: HTMLElement) => { element.textContent = '${words}'; return () => {} }\n`

const navigation = (page: Opened) => page.getByRole('navigation', { name: 'Pages' })
/** The tabs of the settings of plugins. */
const tabs = (page: Opened) => page.getByRole('navigation', { name: 'Plugins' })
const noProblems = (t: Test, page: Opened) => t.same([page.recorded.errors, page.recorded.failed], [[], []])
/** Loaded, with live updates. */
async function openLive(path: string): Promise<Opened> {
  const page = await ui.open('/settings/about')
  await settled(page)
  // Give the page its own stream, so that the test can observe it.
  await page.addInitScript('delete globalThis.SharedWorker')
  await Promise.all([page.waitForResponse(/\/api\/stream\?.*changes%2Fstream/), page.goto(service.url + path)])
  await settled(page)
  return page
}

t.test('an added plugin is found, with its status, version and permissions', async (t) => {
  const page = await openLive('/plugins')
  const table = page.getByRole('grid', { name: 'Plugins' })
  await page.getByText('Built in', { exact: true }).click()
  await table.getByRole('row').nth(5).waitFor()
  await page.getByText('Added', { exact: true }).click()
  t.equal(await tabs(page).getByRole('link', { name: 'Books' }).count(), 0)
  await mkdir(folder)
  for (const [name, text] of Object.entries({
    'plugin.json': manifest(),
    'index.ts': source(),
    'page.ts': pageSource('First words'),
    'panel.ts': panelSource('Three boards'),
  }))
    await write(name, text)
  await writeFile(
    join(service.directory, 'data', 'plugin-registry.json'),
    JSON.stringify({ version: 1, plugins: [{ id: 'shelf', source: folder }] }),
  )

  const scan = page.getByRole('button', { name: 'Scan for plugins' })
  await scan.click()
  await page.getByText(/plugins found, none are new\./).waitFor()
  const put = join(service.directory, 'data', 'plugins', 'put')
  await mkdir(put, { recursive: true })
  await writeFile(
    join(put, 'plugin.json'),
    JSON.stringify({ id: 'put', name: 'Put there', version: '1.0.0', api: '^1.0.0', kind: 'service' }),
  )
  await writeFile(
    join(put, 'index.ts'),
    'import { definePlugin } from "@playhead/sdk"\nexport default definePlugin({})\n',
  )
  await scan.click()
  await page.getByText('New plugin: Put there. Turn it on to use it.').waitFor()
  await page.getByRole('searchbox', { name: 'Find a plugin' }).fill('put there')
  const found = table.getByRole('row').filter({ hasText: 'Put there' })
  await found.getByText('Off', { exact: true }).waitFor()
  await found.getByRole('button', { name: 'Actions for Put there' }).click()
  await page.getByRole('menuitem', { name: 'Turn on' }).click()
  await found.getByText('Active', { exact: true }).waitFor()
  await page.getByRole('searchbox', { name: 'Find a plugin' }).fill('shelf')
  const row = table.getByRole('row').filter({ hasText: 'Shelf' })
  await row.getByText('Active', { exact: true }).waitFor()
  await row.getByText('1.2.0').waitFor()
  await tabs(page).getByRole('link', { name: 'Books' }).waitFor()
  await row.getByRole('link', { name: 'Shelf' }).click()

  await page.getByRole('heading', { name: 'Shelf', level: 1 }).waitFor()
  const reach = page.getByRole('region', { name: 'Permissions' })
  for (const text of ['books.example', 'the address in its settings (address)', '2 MB', 'own database files'])
    await reach.getByText(text).waitFor()
  await page.getByRole('tab', { name: 'Internals' }).click()
  await page.getByRole('region', { name: 'Routes' }).getByText('/api/shelf/count').waitFor()
  t.same(await seriousViolations(page), [])
  await isFit(t, page, 'one plugin')
  noProblems(t, page)
})

t.test('a plugin page is a tab of its door, calls the service, and follows every save', async (t) => {
  const page = await openLive('/plugins')
  await page.evaluate('window.isSameLoad = true')
  const group = tabs(page)
  await group.locator('[data-icon="books"]').waitFor()
  await group.getByRole('link', { name: 'Books' }).click()
  await page.getByRole('heading', { name: 'Books', level: 1 }).waitFor()
  await page.getByText('First words, light').waitFor()
  await page.getByText('3 books').waitFor()
  t.equal(await group.getByRole('link', { name: 'Books' }).getAttribute('aria-current'), 'page')
  t.same(await seriousViolations(page), [])

  await write('page.ts', pageSource('Second words'))
  await page.getByText('Second words, light').waitFor()
  t.equal(await page.getByText('First words').count(), 0)
  await write('index.ts', source({ answer: 4 }))
  await page.getByText('4 books').waitFor()
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.getByText('Second words, dark').waitFor()
  await write('plugin.json', manifest('Volumes'))
  await group.getByRole('link', { name: 'Volumes' }).waitFor()
  await page.getByRole('heading', { name: 'Volumes', level: 1 }).waitFor()
  t.same(await group.getByRole('link').allTextContents(), [
    'Plugins',
    'Plugin directory',
    'Directory settings',
    'Exports',
    'Shelf',
    'Volumes',
  ])
  t.equal(await navigation(page).locator('[aria-current=page]').textContent(), 'Settings')

  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Titles, pages, actions').fill('volumes')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'To the pairs' }).click()
  await page.waitForURL('**/pairs')
  t.equal(await page.evaluate('window.isSameLoad'), true, 'all of it without a reload')
  noProblems(t, page)
})

t.test('a plugin panel is shown on Home, and follows every save', async (t) => {
  const page = await openLive('/')
  const panel = page.getByRole('region', { name: 'On the shelf' })
  await panel.getByText('Three boards').waitFor()
  await write('panel.ts', panelSource('Nine boards'))
  await panel.getByText('Nine boards').waitFor()
  noProblems(t, page)
})

t.test(
  'a build error is shown with its position while the previous version runs, and disappears when it is fixed',
  async (t) => {
    const page = await openLive('/plugins/shelf')
    const fault = page.getByRole('alert').filter({ hasText: 'The build failed' })
    await write('index.ts', `${source()}const shelf = = 1\n`)
    await fault.getByText(/^index\.ts:13:\d+$/).waitFor()
    await fault.getByText(/The previous version runs/).waitFor()
    await page.getByText('Active, last edit failed').waitFor()
    await isFit(t, page, 'a plugin whose last edit failed')
    await page.setViewportSize({ width: 1280, height: 800 })
    await write(
      'index.ts',
      source().replace('config: Settings,', "config: Settings,\n  setup() {\n    throw new Error('no nails')\n  },"),
    )
    const start = page.getByRole('alert').filter({ hasText: 'The plugin failed to start' })
    await start.getByText('no nails').first().waitFor()
    await start.getByText('Technical details').click()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor()
      t.same(await seriousViolations(page), [], `with technical details, ${colorScheme}`)
    }
    t.equal((await service.json('/api/shelf/count')).body.count, 4)

    await page.goto(`${service.url}/plugins`)
    await page.getByText('Needs attention', { exact: true }).click()
    await page.getByRole('row').filter({ hasText: 'Shelf' }).getByText('Active, last edit failed').waitFor()
    await isFit(t, page, 'the list with a fault')
    await page.setViewportSize({ width: 1280, height: 800 })
    await tabs(page).getByRole('link', { name: 'Volumes' }).click()
    await page.getByText('The last edit of this page has an error').waitFor()
    await page.getByText('4 books').waitFor()
    await isFit(t, page, 'a page of a plugin whose last edit failed')
    await page.setViewportSize({ width: 1280, height: 800 })

    await write('index.ts', source({ answer: 5 }))
    await page.getByText('5 books').waitFor()
    await page.getByText('The last edit of this page has an error').waitFor({ state: 'detached' })
    noProblems(t, page)
  },
)

t.test('a plugin page that throws affects nothing else, on mount and later', async (t) => {
  const page = await openLive('/plugin-pages/shelf/main')
  await page.getByText('5 books').waitFor()
  await write('page.ts', "export function mount() {\n  throw new Error('the shelf fell over')\n}\n")
  const failure = page.getByRole('alert').filter({ hasText: 'This page of Shelf stopped working' })
  await failure.getByText('the shelf fell over').waitFor()
  await isFit(t, page, 'a page of a plugin that throws')
  await page.setViewportSize({ width: 1280, height: 800 })
  t.same(page.recorded.errors, [])

  await write(
    'page.ts',
    "export function mount(element: HTMLElement) {\n  element.textContent = 'for a moment'\n  setTimeout(() => { throw new Error('later, too') }, 50)\n  return () => {}\n}\n",
  )
  await failure.getByText('later, too').waitFor()
  t.same(
    page.recorded.errors.splice(0).filter((text) => !text.includes('later, too')),
    [],
  )
  await navigation(page).getByRole('link', { name: 'Sync' }).click()
  await page.getByRole('heading', { name: 'Pairs', level: 1 }).waitFor()
  await navigation(page).getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('main').getByRole('link', { name: 'Plugins' }).click()
  await tabs(page).getByRole('link', { name: 'Volumes' }).click()
  await failure.getByText('later, too').waitFor()

  await write('page.ts', pageSource('All is well'))
  await page.getByText(/^All is well/).waitFor()
  await failure.waitFor({ state: 'detached' })
  t.same(
    page.recorded.errors.filter((text) => !text.includes('later, too')),
    [],
  )
  t.same(page.recorded.failed, [])
})

t.test('settings are a form from the schema, and the form follows schema changes', async (t) => {
  const page = await openLive('/plugins/shelf')
  await page.getByRole('tab', { name: 'Settings' }).click()
  const boards = page.getByLabel(/^Boards/)
  await boards.fill('12')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Invalid value').first().waitFor()
  await boards.fill('7')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  t.equal(service.config.at('plugins.shelf.boards'), 7)
  t.same(await seriousViolations(page), [])

  await write(
    'index.ts',
    source({ field: "wood: Type.String({ default: 'oak', description: 'What it is made of.' })," }),
  )
  await page.getByLabel(/^Wood/).waitFor()
  t.equal(await page.getByLabel(/^Wood/).inputValue(), 'oak')
  t.equal(await boards.inputValue(), '7')
  noProblems(t, page)
})

t.test('settings with which unedited sources fail are an error, and not called an edit that failed', async (t) => {
  const page = await openLive('/plugins/shelf')
  await write(
    'index.ts',
    source({ answer: 6 }).replace(
      'config: Settings,',
      "config: Settings,\n  setup(ctx) {\n    if (ctx.config.boards === 8) throw new Error('no room')\n  },",
    ),
  )
  await until('the edit is live', async () => (await service.json('/api/shelf/count')).body.count === 6)
  const save = async (boards: number) => {
    const { values, revision } = (await service.json('/api/config/sections/plugins.shelf')).body
    const json = { values: { ...values, boards }, revision }
    t.equal((await service.json('/api/config/sections/plugins.shelf', { method: 'PUT', json })).status, 200)
  }
  await save(8)
  const fault = page.getByRole('alert').filter({ hasText: 'no room' })
  await fault.getByText('The plugin keeps running.').waitFor()
  await page.getByText('Active, with an error').waitFor()
  t.equal((await service.json('/api/shelf/count')).body.count, 6)
  const { last_error: error } = (await service.json('/api/plugins/shelf')).body.plugin
  t.match(error, { phase: 'setup', of_edit: false })
  // Changes of the first second after a load are not announced to a page.
  await Promise.all([
    page.waitForResponse(/\/api\/stream\?.*changes%2Fstream/),
    page.goto(`${service.url}/plugin-pages/shelf/main`),
  ])
  await page
    .getByRole('alert')
    .filter({ hasText: 'The plugin failed to start' })
    .getByText('no room', { exact: true })
    .waitFor()
  await page.getByText('6 books').waitFor()
  t.equal(await page.getByText('The last edit of this page has an error').count(), 0)
  await save(7)
  await fault.waitFor({ state: 'detached' })
  await write('index.ts', source({ answer: 7 }))
  await page.getByText('7 books').waitFor()
  noProblems(t, page)
})

t.test('a plugin is reloaded, turned off with its page, and on again', async (t) => {
  const page = await openLive('/plugins/shelf')
  const generation = page.locator('[data-generation]')
  const before = Number(await generation.textContent())
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByText('Shelf reloaded.').waitFor()
  await generation.filter({ hasText: new RegExp(`^${before + 1}$`) }).waitFor()

  const elsewhere = await openLive('/plugin-pages/shelf/main')
  await elsewhere.getByText(/^All is well/).waitFor()
  await page.getByRole('link', { name: 'Plugins' }).last().click()
  await page.getByRole('searchbox', { name: 'Find a plugin' }).fill('shelf')
  await page.getByRole('button', { name: 'Actions for Shelf' }).click()
  await page.getByRole('menuitem', { name: 'Turn off' }).click()
  const question = page.getByRole('dialog', { name: 'Turn off Shelf?' })
  t.same(await seriousViolations(page), [])
  await question.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('Shelf is off.').waitFor()
  await tabs(page).getByRole('link', { name: 'Volumes' }).waitFor({ state: 'detached' })
  await elsewhere.getByRole('heading', { name: 'This page is off' }).waitFor()
  t.equal(await elsewhere.getByText(/^All is well/).count(), 0)
  t.same(await seriousViolations(elsewhere), [])

  await page.getByRole('button', { name: 'Actions for Shelf' }).click()
  await page.getByRole('menuitem', { name: 'Turn on' }).click()
  await page.getByText('Shelf is on.').waitFor()
  await elsewhere.getByText(/^All is well/).waitFor()
  await tabs(page).getByRole('link', { name: 'Volumes' }).waitFor()
  noProblems(t, page)
  noProblems(t, elsewhere)
})
