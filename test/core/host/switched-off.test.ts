// slow: real threads, disks and waits
import t from 'tap'
import { startService, until } from '../../harness.ts'

for (const [outcome, ending] of [
  ['is ready', ''],
  ['fails', "throw new Error('too late')"],
])
  t.test(`a plugin that is switched off while it is staged stays off, and then ${outcome}`, async (t) => {
    const slow = {
      files: {
        'index.ts': `
import { definePlugin } from '@playhead/sdk'
export default definePlugin({
  async setup({ streams }) {
    while (streams.read('slow/gate').at(-1)?.data !== 'open') await new Promise((resolve) => setTimeout(resolve, 20))
    ${ending}
  },
})`,
      },
    }
    await using service = await startService({ plugins: { slow }, watch: false })
    const switchOff = async () => {
      t.equal((await service.plugin('slow')).state, 'staging')
      await service.host.disable('slow')
      service.streams.publish('slow/gate', { data: 'open' })
      await service.host.settled()
      service.streams.publish('slow/gate', { data: 'shut' })
      t.match(await service.plugin('slow'), { state: 'disabled', generation: null, last_error: null })
    }
    await switchOff()
    const enabled = service.host.enable('slow')
    await until('it is staged again', async () => (await service.plugin('slow')).state === 'staging')
    await switchOff()
    await enabled
    const published = service.streams.read('plugins').map(({ event }) => event)
    t.notOk(
      published.includes('plugin.activated') || published.includes('plugin.reload_failed'),
      'and no event says otherwise',
    )
  })
