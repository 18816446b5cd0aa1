/**
 * The Lift extension: a thin client. It finds and starts `lift lsp`, and adds what the protocol has
 * no word for: the generated OpenCL and the result of a run beside the program. It decides nothing
 * about the language.
 *
 *     locate.ts     finds the program            server.ts, revival.ts   its life, requests to it
 *     protocol.ts   the commands it offers       trace.ts    the messages, for those who look
 *     status.ts     the status bar item          errors.ts   what people see of an error
 *     target.ts     which program and kernel     documents.ts  computed read-only documents
 *     generate.ts   Lift: Generate OpenCL        run.ts, ask.ts, inputs.ts, report.ts   Lift: Run Kernel
 */
import * as vscode from 'vscode';

import { ComputedDocuments } from './documents';
import { Generator } from './generate';
import { COMMAND } from './protocol';
import { Runner } from './run';
import { LiftServer } from './server';
import { createStatusItem } from './status';
import { Programs } from './target';

/** Kinds of code action that the server offers; see the commands below. */
const EXPLICIT_FORM = 'refactor.rewrite.lift.explicit.form';
const EXPLICIT_FILE = 'source.lift.explicit.file';

/** Settings that a running server does not see change. */
const READ_AT_START = ['lift.server.path', 'lift.server.extraArgs', 'lift.run.timeLimit'];

let server: LiftServer | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
    const lift = new LiftServer(context, {
        // A lens or a code action of the server starts the same commands as the palette does.
        executeCommand: (command, args: unknown[], next) => {
            if (command === COMMAND.generateOpenCL) return generator.run(args[0]);
            if (command === COMMAND.runKernel) return runner.run(args[0]);
            return next(command, args);
        },
    });
    server = lift;
    const documents = new ComputedDocuments();
    const programs = new Programs(documents);
    const generator = new Generator(lift, documents, programs);
    const runner = new Runner(lift, documents, programs, context.workspaceState);

    const commands: Record<string, (argument: unknown) => unknown> = {
        'lift.generateOpenCL': (named) => generator.run(named),
        'lift.runKernel': (named) => runner.run(named),
        'lift.makePackExplicit': () =>
            vscode.commands.executeCommand('editor.action.codeAction', {
                kind: EXPLICIT_FORM,
                apply: 'first',
            }),
        'lift.makePackExplicitFile': () =>
            vscode.commands.executeCommand('editor.action.sourceAction', {
                kind: EXPLICIT_FILE,
                apply: 'first',
            }),
        'lift.restartServer': () => lift.restart(),
        'lift.showOutput': () => lift.output.show(),
    };
    context.subscriptions.push(
        lift,
        documents,
        programs,
        generator,
        runner,
        createStatusItem(lift),
        ...Object.entries(commands).map(([id, run]) => vscode.commands.registerCommand(id, run)),
        vscode.workspace.onDidChangeConfiguration((e) => {
            if (READ_AT_START.some((name) => e.affectsConfiguration(name))) void lift.restart();
        }),
        // Settings that were held back may name another server.
        vscode.workspace.onDidGrantWorkspaceTrust(() => void lift.restart()),
    );
    await lift.start();
}

export async function deactivate(): Promise<void> {
    await server?.stop();
}
