// What the plugin asks of Jellyfin and what the stand-in answers, against the description that Jellyfin publishes.
import t from 'tap'
import { checkExchanges, nameOf, readDescription } from './descriptions/check.ts'
import { useJellyfin } from './descriptions/flows.ts'

t.test('all that is asked of Jellyfin is described, and all that the stand-in answers is what the description promises', async (t) => {
  const description = await readDescription('jellyfin')
  const exchanges = await useJellyfin()

  const { complaints, used } = checkExchanges(description, exchanges)

  t.same(complaints, [])
  t.same(description.operations.map(nameOf).filter((name) => !used.has(name)), [], 'every operation was used')
})

t.test('an answer, a query or a path that the description does not hold is noticed', async (t) => {
  const description = await readDescription('jellyfin')
  const exchange = (path: string, json: unknown) => {
    const { pathname, searchParams } = new URL(path, 'http://upstream')
    const request = { method: 'GET', path: pathname, query: searchParams, headers: {}, body: async () => Buffer.alloc(0), json: async () => null }
    return { request, reply: { status: 200, json } }
  }
  const complaintsAbout = (path: string, json: unknown) => checkExchanges(description, [exchange(path, json)]).complaints

  t.same(complaintsAbout('/Items', { Items: [{ Name: 'A', UserData: { Key: '1', Played: 'yes' } }] }), ['GET /Items: /Items/*/UserData/Played must be boolean {"type":"boolean"}'])
  t.same(complaintsAbout('/Items', { Items: [{ Colour: 'red' }] }), ['GET /Items: /Items/* must NOT have additional properties {"additionalProperty":"Colour"}'])
  t.same(complaintsAbout('/Items', { Items: 'none' }), ['GET /Items: /Items must be array {"type":"array"}'])
  t.same(complaintsAbout('/Items?colour=red', {}), ['GET /Items: the query has colour'])
  t.same(complaintsAbout('/Films', {}), ['GET /Films is not described'])
})
