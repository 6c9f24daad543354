import { defineControlCommand } from '../cli/control-command.ts';

/** `strata resume`: go on after a pause. */
export const resumeCommand = defineControlCommand('resume', 'go on after a pause');
