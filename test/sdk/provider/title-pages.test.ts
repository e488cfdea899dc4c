// Addresses of titles at a service: checked, and without the secrets of the profile.
import t from 'tap'
import { Type } from '@playhead/sdk'
import type { Item } from '@playhead/sdk/items'
import { createTitlePageProvider, type TitlePageDefinition } from '../../../sdk/provider/pages.ts'
import { shapeOf } from '../../../sdk/provider/profiles/profile-schema.ts'

const Profile = Type.Object({
  server: Type.String({ default: '' }),
  token: Type.String({ default: '', secret: true }),
  more: Type.Object({ password: Type.String({ default: '' }), folder: Type.String({ default: '' }) }),
})
const settings = { server: 'http://attic:8096/', token: 's3cret', more: { password: 'hunter2', folder: 'films' } }
const film: Item = { type: 'movie', ids: { tmdb: '949' }, native: { item_id: '7' } }

function pagesOf(definition: TitlePageDefinition<typeof settings>, items: readonly Item[] = [film], account?: string) {
  const shape = shapeOf(Profile)
  const { titlePages } = createTitlePageProvider({ definition, shape, profile: () => settings })
  return titlePages?.('default', { items, ...(account === undefined ? {} : { account }) })
}

t.test('an address is put together from ids, settings and the account, one for each item', async (t) => {
  const definition: TitlePageDefinition<typeof settings> = ({ native }, { profile, account }) =>
    native === undefined ? undefined : `${profile.server}${profile.more.folder}/${native.item_id}?at=${account}`
  t.same(pagesOf(definition, [film, { type: 'movie', ids: {} }], 'a/b'), ['http://attic:8096/films/7?at=a/b', null])
})

t.test('secrets are empty, by schema and by name', async (t) => {
  const all: TitlePageDefinition<typeof settings> = (_, { profile: { token, more } }) =>
    `https://page/${token}/${more.password}/end`
  t.same(pagesOf(all), ['https://page///end'])
  t.equal(settings.token, 's3cret', 'the settings themselves stay')
})

t.test('only addresses that a browser opens as a page', async (t) => {
  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    'https://ann:secret@page/',
    '/library',
    '',
    `https://page/${'x'.repeat(2_000)}`,
  ])
    t.same(
      pagesOf(() => address),
      [null],
      address.slice(0, 40),
    )
})

t.test('without a definition there is no such operation', async (t) => {
  t.same(createTitlePageProvider({ definition: undefined, shape: shapeOf(Profile), profile: () => settings }), {})
})
