// Finds rows of removed or signed-out profiles. They are kept, but no feature uses them.
import { defineAnalyzer, type Finding, type HeldRows } from '@playhead/sdk/analyzer'

export default defineAnalyzer({
  label: 'Data of removed accounts',
  problems: [
    {
      type: 'orphan_instance',
      severity: 'warn',
      category: 'provider',
      meaning: 'Data of an account that was removed or signed out is still stored.',
    },
  ],
  begin: ({ accounts, holdings }) => ({
    *end() {
      const known = new Set(accounts.filter(({ exists }) => exists).map(({ provider }) => provider))
      for (const held of holdings) {
        // A provider whose plugin is disabled has no profiles at all.
        if (held.count > 0 && known.has(held.account.provider) && !held.account.isConfigured) yield findingOf(held)
      }
    },
  }),
})

function findingOf({ account, feature, count }: HeldRows): Finding {
  const { exists, name } = account
  return {
    type: 'orphan_instance',
    account,
    feature,
    severity: exists ? 'info' : 'warn',
    message: exists
      ? `${name} is signed out; ${count === 1 ? 'its row is' : `its ${count} rows are`} as of the last read.`
      : `The profile ${name} is gone; ${count === 1 ? 'its row is' : `its ${count} rows are`} left over.`,
    fields: { count, instance: account.instance },
  }
}
