import { defineControlCommand } from '../cli/control-command.ts';

/** `strata abort`: stop a run: nothing starts any more, running items are interrupted. */
export const abortCommand = defineControlCommand('abort', 'stop a run: nothing starts any more, running items are interrupted');
