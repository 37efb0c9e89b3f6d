// The requests in the stored data of each release. They never change, because the data was stored once.
import { sentRequest } from '../../../testing/sent-request.ts'

export const RELEASE_REQUESTS = Array.from({ length: 18 }, (_, n) => sentRequest(n))
