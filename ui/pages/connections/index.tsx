import { Page } from '../../parts/page.tsx'
import { shell } from '../../texts/en/shell.ts'

export default function Area() {
  return <Page title={shell.pages.connections}>{null}</Page>
}
