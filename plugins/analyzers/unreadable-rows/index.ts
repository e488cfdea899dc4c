// Finds stored rows that cannot be parsed. No feature uses them, and no item is reported as missing because of them.
import { defineAnalyzer, type Finding, type UnreadableRows } from '@playhead/sdk/analyzer'

export default defineAnalyzer({
  label: 'Unreadable data',
  problems: [
    {
      type: 'artifact_parse_error',
      severity: 'error',
      category: 'artifact',
      meaning: 'Stored data of an account is damaged.',
    },
    {
      type: 'artifact_schema_mismatch',
      severity: 'warn',
      category: 'artifact',
      meaning: 'Stored data of an account is not valid.',
    },
  ],
  begin: () => ({
    *end(unreadable) {
      for (const one of unreadable) {
        if (one.notJson > 0) yield findingOf('artifact_parse_error', one, one.notJson)
        if (one.noItem > 0) yield findingOf('artifact_schema_mismatch', one, one.noItem)
      }
    },
  }),
})

function findingOf(type: string, { account, feature, keys }: UnreadableRows, count: number): Finding {
  return {
    type,
    account,
    feature,
    message: `${count === 1 ? '1 row' : `${count} rows`} of the ${feature} of ${account.label} cannot be read. Until they can, nothing of this feature is called missing. Refresh the account.`,
    fields: { artifact: 'index', path: `${account.name}.${feature}`, bad_rows: count, keys },
  }
}
