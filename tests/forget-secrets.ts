// Before each file of tests: keys that another file has given to models in the same process are not this one's secrets.
import { forgetSecrets } from '../src/models/secrets.ts'

forgetSecrets()
