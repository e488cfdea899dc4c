// slow: a browser, step by step
// Import and export: a file of another service is dropped, reviewed, compared, written to the tracker and undone; the content
// of the tracker is saved as a file.
import { readFile } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { seriousViolations, settled, startUi } from './harness.ts'
import { fitsEveryWidth } from './looks.ts'

const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())

// The columns of IMDb's ratings export.
const RATINGS = [
  'Const,Your Rating,Date Rated,Title,Original Title,URL,Title Type,IMDb Rating,Runtime (mins),Year,Genres,Num Votes,Release Date,Directors',
  'tt0111161,10,2024-02-03,The Shawshank Redemption,The Shawshank Redemption,https://www.imdb.com/title/tt0111161/,Movie,9.3,142,1994,Drama,1,1994-10-14,Frank Darabont',
  'tt0068646,9,2024-02-04,The Godfather,The Godfather,https://www.imdb.com/title/tt0068646/,Movie,9.2,175,1972,Crime,1,1972-03-24,Francis Ford Coppola',
].join('\n')

t.test('without exportable data the page names the next step', async (t) => {
  const page = await ui.open('/export')
  await page.getByText('Nothing to export yet').waitFor()
  t.same(await seriousViolations(page), [])
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('a file is read, compared, written and undone; an unknown format is refused with a reason', async (t) => {
  const page = await ui.open('/import', { colorScheme: 'light' })
  await page.getByText('What you can import').waitFor()
  await page.getByText('Letterboxd').first().waitFor()
  t.same(await seriousViolations(page), [])
  await fitsEveryWidth(t, page, 'the import page')

  const field = page.getByLabel('File to import')
  await field.setInputFiles({ name: 'holiday.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear diary') })
  await page.getByRole('alert').first().waitFor()
  t.match(page.url(), /\/import$/, 'nothing was read')

  await field.setInputFiles({ name: 'ratings.csv', mimeType: 'text/csv', buffer: Buffer.from(RATINGS) })
  await page.getByRole('heading', { name: 'Import of ratings.csv', level: 1 }).waitFor()
  await page.getByText('Ready', { exact: true }).locator('..').getByText('2', { exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Account' }).click()
  await page.getByRole('option', { name: 'Playhead tracker' }).click()
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByText('2 to add').waitFor()
  await settled(page)
  t.same(await seriousViolations(page), [])
  await fitsEveryWidth(t, page, 'an import')
  await page.getByRole('button', { name: 'Write 2 items' }).click()
  await page.getByText('2 items written to Playhead tracker.').waitFor()

  const saved = await ui.open('/export', { colorScheme: 'dark' })
  await saved.getByRole('combobox', { name: 'Data' }).click()
  await saved.getByRole('option', { name: 'Ratings (2)', exact: true }).click()
  await saved.getByText('Start of the file').click()
  await saved.getByText('tt0111161').waitFor()
  t.equal(await saved.getByRole('grid', { name: 'The first rows' }).getByRole('row').count(), 3)
  await saved.getByLabel('Only titles with').fill('godfather')
  await saved.getByText('1 line').waitFor()
  await saved.getByLabel('Only titles with').fill('')
  await saved.getByText('2 lines').waitFor()
  t.same(await seriousViolations(saved), [])
  await fitsEveryWidth(t, saved, 'the export')
  const [file] = await Promise.all([
    saved.waitForEvent('download'),
    saved.getByRole('button', { name: 'Download' }).click(),
  ])
  t.match(await readFile(await file.path(), 'utf8'), /tt0068646/)

  await page.getByRole('button', { name: 'Undo the import' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Undo the import' }).click()
  await page.getByText('Import undone.').waitFor()
  t.same(page.recorded.errors, [])
})

t.test("the person of a file's history must be chosen, never assumed", async (t) => {
  const page = await ui.open('/import')
  const list =
    'tmdbID,imdbID,Title,Year,Type,WatchedDate,Username\n949,,Heat,1995,movie,2024-01-01,ann\n950,,Ran,1985,movie,2024-01-02,ben\n'
  await page
    .getByLabel('File to import')
    .setInputFiles({ name: 'household.csv', mimeType: 'text/csv', buffer: Buffer.from(list) })
  await page.getByRole('heading', { name: 'Import of household.csv', level: 1 }).waitFor()
  await page.getByRole('combobox', { name: 'Account' }).click()
  await page.getByRole('option', { name: 'Playhead tracker' }).click()
  const compare = page.getByRole('button', { name: 'Compare' })
  t.ok(await compare.isDisabled(), 'nobody is chosen')
  await page.getByRole('combobox', { name: 'Whose history' }).click()
  await page.getByRole('option', { name: 'ben (1 row)' }).click()
  await compare.click()
  await page.getByText('1 to add').waitFor()
  t.same(await seriousViolations(page), [])
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

t.test('any number of titles without ids can be reached, searched, matched or skipped', async (t) => {
  const TITLES = 130
  const rows = Array.from({ length: TITLES }, (_, index) => `"Film ${index + 1}","1/${1 + (index % 28)}/24"`)
  const file = Buffer.from(['Title,Date', ...rows].join('\n'))
  const page = await ui.open('/import', { colorScheme: 'light' })
  await page
    .getByLabel('File to import')
    .setInputFiles({ name: 'NetflixViewingHistory.csv', mimeType: 'text/csv', buffer: file })
  await page.getByText(`${TITLES} of ${TITLES} left to choose.`).waitFor()
  const id = page.url().split('/').at(-1)
  const list = page.getByRole('region', { name: 'Titles to choose' })
  const choiceOf = (title: string) => list.getByRole('radiogroup', { name: title, exact: true })

  // The order comes from the service.
  const { titles } = (await ui.service.json(`/api/import/${id}/titles?limit=1&offset=${TITLES - 1}`)).body
  const last = choiceOf(titles[0].about.title)
  for (let step = 0; step < 40 && (await last.count()) === 0; step += 1) {
    await list.evaluate((element) => ((element as any).scrollTop = (element as any).scrollHeight))
    await page.waitForTimeout(200)
  }
  await last.getByRole('radio', { name: 'Skip' }).click()
  await page.getByText(`${TITLES - 1} of ${TITLES} left to choose.`).waitFor()
  t.ok((await list.getByRole('radiogroup').count()) < 40, 'only what is seen is drawn')
  await isFitAndReadable(t, page)

  await page.getByLabel('Find a title').fill('film 77')
  await list.getByRole('radiogroup').nth(1).waitFor({ state: 'detached' })
  await page.route('**/api/metadata/search?**', (route) =>
    route.fulfill({
      json: {
        ok: true,
        results: [
          {
            type: 'movie',
            title: 'The right one',
            year: 1995,
            ids: { tmdb: '949', imdb: 'tt0113277' },
            overview: '',
            source: 'metadata',
          },
        ],
      },
    }),
  )
  await list.getByRole('button', { name: 'Another title for Film 77' }).click()
  const dialog = page.getByRole('dialog', { name: 'Another title for Film 77' })
  await dialog.getByRole('searchbox').fill('right')
  await dialog.getByRole('list', { name: 'Titles found' }).getByRole('button').first().click()
  await choiceOf('Film 77').getByRole('radio', { name: 'The right one', checked: true }).waitFor()
  const found = (await ui.service.json(`/api/import/${id}/titles?q=film%2077`)).body.titles
  t.match(found, [{ choice: { type: 'movie', ids: { tmdb: '949', imdb: 'tt0113277' } } }])

  await page.getByLabel('Find a title').fill('')
  await page.getByRole('switch', { name: 'Only titles left to choose' }).click()
  await page.getByText(`${TITLES - 2} of ${TITLES} left to choose.`).waitFor()
  await page.getByLabel('Find a title').fill('film 77')
  await page.getByText('No matching titles.').waitFor()
  t.same([page.recorded.errors, page.recorded.failed], [[], []])
})

async function isFitAndReadable(t: Test, page: Awaited<ReturnType<typeof ui.open>>) {
  t.same(await seriousViolations(page), [])
  await fitsEveryWidth(t, page, 'titles to choose')
  await page.setViewportSize({ width: 1280, height: 800 })
}
