// A problem of the analyzer in full: what its rule means, what the accounts say, and its correction, previewed first.
import { Drawer, Text } from '@mantine/core'
import { useRead } from '../../api/query.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { problems as texts } from '../../texts/en/problems.ts'
import { Detail } from './details/detail.tsx'
import { useKinds } from './details/finding.ts'

interface FindingProps {
  /** Id of the problem: `analyzer:<type>/<account>/<feature>/<key>`, each part encoded. */
  readonly id: string
  readonly onClose: () => void
}

export function Finding({ id, onClose }: FindingProps) {
  const kindOf = useKinds()
  const [type = '', provider, feature, key] = id
    .replace(/^analyzer:/, '')
    .split('/')
    .map(decoded)
  const query = useRead(['analyzer', 'finding'], 'GET /api/analyzer/problems', {
    query: {
      ...{ type, limit: 1, attention_limit: 0 },
      // The name of the service alone would mean all of its profiles.
      ...(provider ? { provider: provider.includes('@') ? provider : `${provider}@default` } : {}),
      ...(feature ? { feature } : {}),
      ...(key ? { key } : {}),
    },
  })
  const finding = query.data?.problems[0]
  const kind = kindOf(type)
  if (finding !== undefined) return <Detail finding={finding} kind={kind} query={{}} onClose={onClose} />
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={kind.label}>
      {query.error !== null ? (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Loading rows={4} />
      ) : (
        <Text role="status">{texts.finding.gone}</Text>
      )}
    </Drawer>
  )
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
