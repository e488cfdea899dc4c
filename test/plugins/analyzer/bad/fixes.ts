// A rule with every kind of fix.
import { defineAnalyzer, type FixPlan } from '@playhead/sdk/analyzer'

const problem = (type: string) =>
  ({ type, severity: 'warn', category: 'ids', meaning: 'Something.', fix: 'It is fixed.' }) as const

export default defineAnalyzer({
  label: 'Fixes',
  problems: [problem('bad_plan'), problem('bad_throw'), problem('good_plan'), problem('endless_plan')],
  needs: { features: ['watchlist'] },
  *inspect() {},
  fix({ type, account, feature, row }): FixPlan {
    if (type === 'bad_throw') throw new Error('secret text of the rule')
    while (type === 'endless_plan');
    if (type === 'bad_plan') return { changes: 'no list' } as never
    return {
      changes: ['It is removed.'],
      plan: { ...account, feature, changes: [{ op: 'remove', key: row.key, item: row.item, current: row.item }] },
    }
  },
})
