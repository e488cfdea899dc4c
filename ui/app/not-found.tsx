import { Absent } from '../parts/page/absent.tsx'
import { Page } from '../parts/page/page.tsx'
import { shell } from '../texts/en/shell.ts'

export function NotFound() {
  const { title, text, home } = shell.notFound
  return (
    <Page title={title}>
      <Absent title={title} text={text} to={home} href="/" />
    </Page>
  )
}
