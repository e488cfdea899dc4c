// The texts of the pages: each uses the message format, and each translation has the same placeholders.
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { knownLabels } from '../../sdk/reasons.ts'
import { textsOf } from '../../ui/list-texts.ts'
import { pseudo } from '../../ui/texts/pseudo.ts'
import { originText } from '../../ui/parts/values/origin-text.ts'
import { say } from '../../ui/texts/say.ts'

const EN = join(import.meta.dirname, '../../ui/texts/en')
const english = new Map<string, string>()
for await (const file of glob('*.ts', { cwd: EN })) {
  for (const [name, text] of textsOf(await import(join(EN, file)))) english.set(name, text)
}
const read = (text: string) => parse(text, { ignoreTag: true })

function places(elements: readonly MessageFormatElement[]): string[] {
  return elements.flatMap((one) => {
    if (one.type === TYPE.argument) return [one.value]
    if (one.type !== TYPE.plural && one.type !== TYPE.select) return []
    return [`${one.value} chooses`, ...Object.values(one.options).flatMap(({ value }) => places(value))]
  })
}
const namesIn = (text: string) => Array.from(text.matchAll(/\{(\w+)\}/g), ([place]) => place).sort()
const placesOf = (text: string) => [...new Set(places(read(text)))].sort()

t.test('every text is readable, and a plural has a form for one and for many', async (t) => {
  t.ok(english.size > 1_500)
  for (const [name, text] of english) {
    t.doesNotThrow(() => read(text), name)
    t.not(text.trim(), '', name)
  }
})

t.test('a translation has the same placeholders as the English text, and no additional text', async (t) => {
  const { service, ...areas } = (await import('../../ui/texts/de/index.ts')).default
  const german = textsOf(areas)
  for (const [text, own] of Object.entries(service)) t.same(namesIn(own), namesIn(text), text)
  for (const [name, text] of german) {
    const original = english.get(name)
    if (t.ok(original !== undefined, `${name} is a text`)) t.same(placesOf(text), placesOf(original ?? ''), name)
  }
})

t.test('a translator finds each text under the name of its English file', async (t) => {
  const german = join(EN, '../de')
  for await (const file of glob('*.ts', { cwd: EN })) {
    const [own, original] = await Promise.all([import(join(german, file)), import(join(EN, file))])
    t.same(Object.keys(own as object).sort(), Object.keys(original as object).sort(), file)
  }
})

t.test('every text has a German translation', async (t) => {
  const german = new Map(textsOf((await import('../../ui/texts/de/index.ts')).default))
  t.same(
    [...english.keys()].filter((name) => !german.has(name)),
    [],
  )
})

t.test('every reason has a German text', async (t) => {
  const { service } = (await import('../../ui/texts/de/index.ts')).default
  t.ok(knownLabels().length > 150)
  t.same(
    knownLabels().filter((label) => !(label in service)),
    [],
  )
})

t.test('the test language keeps placeholders and keywords of the format', async (t) => {
  for (const [name, text] of english) t.same(placesOf(pseudo(text)), placesOf(text), name)
})

t.test('numbers are formatted for the language, and counts select their plural form', async (t) => {
  t.equal(say('{n, plural, one {# item} other {# items}} of {total}', { n: 1, total: 12_000 }), '1 item of 12,000')
  t.equal(say('{n, plural, one {# item} other {# items}}', { n: 12_000 }), '12,000 items')
  t.equal(say('<b> of {name}', { name: '{n}' }), '<b> of {n}')
})

t.test('an event item shows its reason, unless it was synced', async (t) => {
  const { groupText } = await import(join(EN, '../../parts/values/event-text.ts'))
  const told = (status: string, reason: string | null) =>
    groupText(
      {
        status,
        reason_code: reason,
        reason_label: null,
        source_provider: 'MEDIAB',
        destination_provider: 'MEDIAC',
        summary_parts: { kind: 'item', steps: ['write failed', 'left open'] },
      },
      () => 'Emby',
    )
  t.equal(told('informational', 'not_in_library'), 'It is not in your library on Emby.')
  t.match(told('failed', 'http_400'), /HTTP 400/)
  t.equal(told('failed', 'unknown'), 'Emby did not confirm the change.')
  t.equal(told('completed', 'not_in_library'), 'Write failed → left open')
  t.equal(told('informational', null), 'Write failed → left open')
})

t.test('the origin of a change is a sentence with names and days', async (t) => {
  const names: Readonly<Record<string, string>> = {
    'TRAKT@default': 'Trakt',
    'TRAKT@TRAKT-P01': 'Trakt (Kim)',
    'PLEX@default': 'Plex',
  }
  const nameOf = (provider: string, instance: string) => names[`${provider}@${instance}`] ?? '?'
  const trakt = { provider: 'TRAKT', instance: 'default' } as const
  const plex = { provider: 'PLEX', instance: 'default' } as const
  const rated = { ...trakt, act: 'set', at: '2026-05-03', by: 'written', value: '8' } as const
  const lost = { ...plex, act: 'remove', at: null, by: 'person' } as const
  const [from_at, to_at] = ['2026-05-02T12:00:00Z', '2026-05-04T12:00:00Z'] as const
  const shown = [
    originText({ origin: rated, origin_carrier: plex }, 'ratings', nameOf),
    originText({ origin: { ...rated, instance: 'TRAKT-P01', by: 'person' } }, 'ratings', nameOf),
    originText({ origin: { ...lost, from_at, to_at } }, 'watchlist', nameOf),
    originText({ origin: { ...lost, to_at: from_at, by: 'written' }, origin_carrier: trakt }, 'watchlist', nameOf),
    originText({ origin: { ...trakt, act: 'set', at: null, by: 'person', from_at } }, 'watchlist', nameOf),
    originText({ origin: { ...trakt, act: 'set', at: null, by: 'unknown' }, origin_carrier: plex }, 'history', nameOf),
    originText({ origin: { ...trakt, act: 'set', at: null, by: 'unknown' } }, 'history', nameOf),
    originText({ origin: { ...trakt, act: 'set', at: '2026-05-03', by: 'requested' } }, 'history', nameOf),
    originText({ origin: { ...trakt, act: 'remove', at: '2026-05-03', by: 'undo' } }, 'history', nameOf),
    originText({ origin: null }, 'history', nameOf),
  ]
  t.same(shown, [
    'You rated it 8 on Trakt, May 3, 2026. Plex shows what Playhead wrote.',
    'Rated 8 on Trakt (Kim), May 3, 2026.',
    'Removed on Plex, between May 2, 2026 and May 4, 2026.',
    'Removed on Plex, before May 2, 2026. Playhead removed it from Trakt.',
    'You added it to the watchlist on Trakt, after May 2, 2026.',
    'Found on Trakt. Plex shows what Playhead wrote.',
    null,
    'Changed through Playhead on Trakt, May 3, 2026.',
    'Undone on Trakt, May 3, 2026.',
    null,
  ])
})
