// slow: simulators against their descriptions
// Checks the plugin's requests and the stand-in's responses against the description that Jellyfin publishes.
import t from 'tap'
import { checkExchanges, nameOf, readDescription } from './descriptions/check.ts'
import { useJellyfin } from './descriptions/flows.ts'
import { playOnJellyfin } from './descriptions/jellyfin-playback.ts'

t.test('all requests to Jellyfin are described, and all responses of the stand-in match the description', async (t) => {
  const description = await readDescription('jellyfin')
  const exchanges = [...(await useJellyfin()), ...(await playOnJellyfin())]

  const { complaints, used } = await checkExchanges(description, exchanges)

  t.same(complaints, [])
  t.same(
    description.operations.map(nameOf).filter((name) => !used.has(name)),
    [],
    'every operation was used',
  )
})

t.test('a body, a response, a query or a path that contradicts the description is reported', async (t) => {
  const description = await readDescription('jellyfin')
  const exchange = (path: string, json: unknown) => {
    const { pathname, searchParams } = new URL(path, 'http://upstream')
    const body = async () => Buffer.alloc(0)
    return {
      request: { method: 'GET', path: pathname, query: searchParams, headers: {}, body, json: body },
      reply: { status: 200, json },
    }
  }
  const complaintsAbout = async (path: string, json: unknown) =>
    (await checkExchanges(description, [exchange(path, json)])).complaints

  t.same(await complaintsAbout('/Items', { Items: [{ Colour: 'red' }] }), [
    'GET /Items: /Items/* must NOT have additional properties {"additionalProperty":"Colour"}',
  ])
  t.same(await complaintsAbout('/Items', { Items: [{ RunTimeTicks: 'long' }] }), [
    'GET /Items: /Items/*/RunTimeTicks must be integer,null {"type":["integer","null"]}',
  ])
  t.same(await complaintsAbout('/Items', { Items: 'none' }), ['GET /Items: /Items must be array {"type":"array"}'])
  t.same(await complaintsAbout('/Items?colour=red', {}), ['GET /Items: the query has colour'])
  t.same(await complaintsAbout('/Films', {}), ['GET /Films is not described'])
  const body = async () => Buffer.from('{"Pw":1}')
  const path = '/Users/AuthenticateByName'
  const request = { method: 'POST', path, query: new URLSearchParams(), headers: {}, body, json: body }
  t.same((await checkExchanges(description, [{ request, reply: { status: 401 } }])).complaints, [
    'POST /Users/AuthenticateByName is sent: /Pw must be string,null {"type":["string","null"]}',
  ])
})
