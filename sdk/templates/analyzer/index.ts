// An analyzer of stored items. The rule is in rule.ts.
import { capability, definePlugin } from '@playhead/sdk'
import { inspect, type Item } from './rule.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(capability('analyzer:acme'), {
      label: 'Acme',
      /** Checks each item once and yields findings as it goes. */
      async *inspect(items: AsyncIterable<Item>) {
        for await (const item of items) yield* inspect(item)
      },
    })
  },
})
