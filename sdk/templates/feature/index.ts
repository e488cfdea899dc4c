// Syncs one kind of watch state between two accounts. The rule is in policy.ts.
import { capability, definePlugin } from '@playhead/sdk'
import { decide, type Sides } from './policy.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(capability('feature:acme'), {
      label: 'Acme',
      /** Actions by key. Keys without an action are omitted. */
      plan: (sides: readonly (Sides & { readonly key: string })[]) =>
        sides.flatMap(({ key, ...side }) => {
          const action = decide(side)
          return action === 'nothing' ? [] : [{ key, action }]
        }),
    })
  },
})
