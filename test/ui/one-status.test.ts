// slow: a browser in several worlds
// Home, pairs, runs, the page of a run and of a pair show the word and the number of `GET /api/overview`.
import t from 'tap'
import { openHouse, WORLDS } from '../plugins/sync/status-worlds.ts'
import { atEndOfFile } from '../at-end-of-file.ts'
import { settled, startUi } from './harness.ts'

t.setTimeout(900_000)

const SHOWN = [
  'held removals beside open items',
  'an account that was down',
  'a cancelled run',
  'two pairs with different states',
]
/** Every word that a badge of a status may have, and the former ones that it may not. */
const WORD = /^(?:[^:]+: )?(?:In sync|1 needs you|\d+ need you|Working|Paused|Cannot reach .+|Failed)$/
const FORMER =
  /Partly synced|Synced in part|Successful|Never run|\b\d+ open\b|^Synced$|^Skipped$|^Cancelled$|pairs? (?:is|are) synced/

const ui = await startUi()
atEndOfFile(() => ui[Symbol.asyncDispose]())
const house = await openHouse(ui.service)
atEndOfFile(() => house[Symbol.asyncDispose]())

for (const name of SHOWN) {
  const world = WORLDS.find((one) => one.name === name)!
  t.test(name, async (t) => {
    await house.enter(world)
    const { status, pairs, runs } = (await ui.service.json('/api/overview')).body
    const [pair] = pairs
    const page = await ui.open('/')
    t.teardown(() => page.close())
    const badges = async (inside = page.locator('#content')) => {
      const texts = await inside.locator('.mantine-Badge-label').allInnerTexts()
      t.ok(texts.length > 0)
      for (const text of texts) t.match(text, WORD)
      return texts
    }
    const visit = async (path: string) => {
      await page.goto(ui.service.url + path)
      await settled(page)
      t.notMatch(await page.locator('#content').innerText(), new RegExp(FORMER.source, 'm'), path)
    }

    await visit('/')
    await page
      .getByRole('status')
      .filter({ hasText: new RegExp(`^${status.text}$`) })
      .waitFor()
    const card = page.getByRole('article', { name: pair.name })
    t.equal((await badges(card))[0], pair.status.text, 'home')
    await page.getByRole('region', { name: 'At a glance' }).getByText(`${runs[0].status.text}: `).waitFor()
    await visit('/pairs')
    t.ok((await badges()).includes(pair.status.text), 'pairs')
    await visit('/runs')
    t.equal((await badges())[0], runs[0].status.text, 'runs')
    await visit(`/runs/${runs[0].run_id}`)
    t.equal((await badges())[0], runs[0].status.text, 'a run')
    await visit(`/pairs/${pair.id}`)
    t.equal((await badges())[0], pair.status.text, 'a pair')
    t.same([page.recorded.errors, page.recorded.failed], [[], []])
  })
}
