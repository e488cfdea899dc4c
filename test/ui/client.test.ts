// The typed client says what the service says.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { generateClient, SCHEMA_FILE } from '../../ui/generate-client.ts'
import { startService } from '../harness.ts'

t.test('the generated client is that of the description of today; "npm run generate:client" makes it so', async (t) => {
  await using service = await startService({ shipped: true, watch: false })
  const { body } = await service.json('/openapi.json')

  t.equal(generateClient(body), await readFile(SCHEMA_FILE, 'utf8'))
})
