// Keeps one kind of watch state the same on two sides. The rule is in policy.ts, apart from everything around it.
import { capability, definePlugin } from '@playhead/sdk'
import { decide, type Sides } from './policy.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(capability('feature:acme'), {
      label: 'Acme',
      /** What to do about each key that any side knows. Keys where nothing is to be done are left out. */
      plan: (sides: readonly (Sides & { readonly key: string })[]) =>
        sides.flatMap(({ key, ...side }) => {
          const action = decide(side)
          return action === 'nothing' ? [] : [{ key, action }]
        }),
    })
  },
})
