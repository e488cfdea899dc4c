// The tokens of webhook addresses in the list of all tokens: listed, used and replaced there.
import t from 'tap'
import { startService } from '../../harness.ts'
import { startServer } from '../jellyfin-and-emby/support.ts'

t.test('a webhook is in the list of tokens with its last use, and its address is replaced there', async (t) => {
  await using jellyfin = await startServer('jellyfin', { movies: 2, shows: 0 })
  await using service = await startService({ shipped: true, watch: false })
  await service.json('/api/mediaB/login', { json: { server: jellyfin.url, username: 'sam', password: 'secret' } })
  const saved = await service.json('/api/scrobbler/webhooks/profile', {
    json: { provider: 'MEDIAB', provider_instance: 'default', enabled: true, sinks: ['SVC'] },
  })
  t.equal(saved.status, 200, JSON.stringify(saved.body))
  const address = saved.body.webhooks[0].endpoint_url as string
  t.match(address, /\/webhook\/mediaB\?profile=[\w-]{32}$/)
  const send = async (url: string) =>
    (await (
      await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ NotificationType: 'Something' }),
      })
    ).json()) as { reason: string }
  const own = async () =>
    (await service.json('/api/tokens')).body.others.find(({ kind }: { kind: string }) => kind === 'webhook')

  t.match(await own(), { label: 'Webhook of Jellyfin', active: true, can_rotate: true, last_used_at: null })
  t.not((await send(address)).reason, 'invalid_profile')
  const used = await own()
  t.match(used, { last_used_at: Number })
  const list = JSON.stringify((await service.json('/api/tokens')).body)
  t.notMatch(list, new URL(address).searchParams.get('profile') as string)

  const rotated = await service.json(`/api/tokens/others/${encodeURIComponent(used.id)}/rotate`, { method: 'POST' })
  t.match(rotated, { status: 200, body: { secret: /^\/webhook\/mediaB\?profile=[\w-]{32}$/ } })
  t.equal((await send(address)).reason, 'invalid_profile', 'the old address names no profile any more')
  t.not((await send(service.url + rotated.body.secret)).reason, 'invalid_profile')
})
