import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '../../api/query.ts'
import { Page } from '../../parts/page.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { home } from '../../texts/en/home.ts'
import { shell } from '../../texts/en/shell.ts'
import { count } from '../../texts/say.ts'

export default function Home() {
  const query = useRead(['plugins'], 'GET /api/plugins')
  return (
    <Page title={shell.pages.home}>
      <QueryView query={query}>
        {({ plugins }) => <Text>{count(plugins.filter(({ state }) => state === 'active').length, home.plugins)} <Anchor component={Link} href="/plugins" inherit underline="always">{home.all}</Anchor></Text>}
      </QueryView>
    </Page>
  )
}
