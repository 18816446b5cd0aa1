/**
 * The Lift extension: a thin client. It finds and starts `lift lsp`, and adds what the protocol has
 * no word for: generated code that follows the cursor, and runs with their results beside the program.
 * It decides nothing about the language.
 *
 *     locate.ts     finds the program            server.ts, revival.ts   its life, requests to it
 *     protocol.ts   the commands it offers       trace.ts    the messages, for those who look
 *     status.ts, setup.ts, health.ts   what runs here, and on what     errors.ts   what people see of an error
 *     target.ts     which program and kernel     tasks.ts    the program on the command line
 *     glyphs.ts, keys.ts   characters of APL by a prefix key
 *     hints.ts      kinds of inlay hints         obligations.ts   lengths that ought to be equal, painted
 *     views.ts, stages.ts   generated texts      sync.ts     the way between them and the program
 *     run.ts, ask.ts, inputs.ts   Lift: Run Kernel
 *     compare.ts, comparison.ts   an earlier version or another kernel beside this one
 *     tuning.ts and webview/tuning.ts   what a search for the fastest version tried
 *     report.ts, documents.ts, panel.ts, shown.ts and webview/   what a run gave
 */
import * as vscode from 'vscode';

import { Comparer } from './compare';
import { Results } from './documents';
import { Glyphs } from './glyphs';
import { TOGGLES } from './hints';
import { COMMAND } from './protocol';
import { mayRun, Runner } from './run';
import { LiftServer } from './server';
import { SetupView } from './setup';
import { createStatusItem } from './status';
import { Sync } from './sync';
import { Programs } from './target';
import { registerTasks } from './tasks';
import { Tuner } from './tuning';
import { Views, originOf } from './views';

/** Kinds of code action that the server offers; see the commands below. */
const EXPLICIT_FORM = 'refactor.rewrite.lift.explicit.form';
const EXPLICIT_FILE = 'source.lift.explicit.file';

/** Settings that take effect only when the server is restarted. */
const READ_AT_START = ['lift.server.path', 'lift.server.extraArgs'];
/** Settings that are sent to a running server. */
const TOLD = ['lift.run', 'lift.inlayHints', 'lift.generated.target'];

const WALKTHROUGH = 'lift-lang.lift#start';

/** Commands of the server that run kernels and show the results. */
const RUNS_KERNELS: string[] = [COMMAND.testKernel, COMMAND.showTests, COMMAND.tuneKernel, COMMAND.compareKernels];

let server: LiftServer | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
    const lift = new LiftServer(context, {
        // A lens or a code action of the server starts the same commands as the palette does.
        executeCommand: (command, args: unknown[], next) => {
            if (command === COMMAND.generateOpenCL || command === COMMAND.showOpenCL) return views.show(args[0]);
            if (command === COMMAND.runKernel || command === COMMAND.showRun) return runner.run(args[0]);
            if (command === COMMAND.showTuning) return tuner.tune(args[0]);
            if (RUNS_KERNELS.includes(command)) {
                return mayRun().then((may): unknown => (may ? next(command, args) : undefined));
            }
            return next(command, args);
        },
    });
    server = lift;
    const results = new Results();
    const programs = new Programs((document) => originOf(document) ?? results.originOf(document));
    const views = new Views(lift, programs);
    const runner = new Runner(lift, results, programs, context.workspaceState, context.extensionUri);
    const comparer = new Comparer(lift, programs, results);
    const tuner = new Tuner(lift, programs, context.extensionUri);
    const { version } = context.extension.packageJSON as { version: string };
    const setup = new SetupView(lift, version);

    const commands: Record<string, (argument: unknown) => unknown> = {
        'lift.generateOpenCL': (named) => views.show(named),
        'lift.showStage': (named) => views.chooseStage(named),
        'lift.runKernel': (named) => runner.run(named),
        'lift.runKernelWith': (named) => runner.run(named, true),
        'lift.showResult': () => runner.showLast(),
        'lift.pin': (named) => comparer.pin(named),
        'lift.compare': (named) => mayRun().then((may): unknown => (may ? comparer.compare(named) : undefined)),
        'lift.tune': (named) => tuner.tune(named),
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
        'lift.chooseDevice': () => setup.chooseDevice(),
        'lift.showSetup': () => setup.show(),
        'lift.restartServer': () => lift.restart(),
        'lift.showOutput': () => lift.output.show(),
        'lift.openWalkthrough': () =>
            vscode.commands.executeCommand('workbench.action.openWalkthrough', WALKTHROUGH, false),
        'lift.openExample': () => openExample(context.extensionUri),
    };
    context.subscriptions.push(
        lift,
        results,
        programs,
        views,
        new Sync(lift),
        new Glyphs(lift),
        runner,
        comparer,
        tuner,
        setup,
        createStatusItem(lift, setup),
        registerTasks(lift),
        ...Object.entries(commands).map(([id, run]) => vscode.commands.registerCommand(id, run)),
        ...Object.entries(TOGGLES).map(([id, kind]) => vscode.commands.registerCommand(id, () => toggle(kind))),
        vscode.workspace.onDidChangeConfiguration((e) => {
            if (READ_AT_START.some((name) => e.affectsConfiguration(name))) void lift.restart();
            else if (TOLD.some((name) => e.affectsConfiguration(name))) void lift.configure();
        }),
        // Settings that were restricted until now may name another server.
        vscode.workspace.onDidGrantWorkspaceTrust(() => void lift.restart()),
    );
    await lift.start();
}

export async function deactivate(): Promise<void> {
    await server?.stop();
}

/** Turns a kind of hint on or off, in the configuration that sets it now. */
async function toggle(kind: string): Promise<void> {
    const settings = vscode.workspace.getConfiguration('lift.inlayHints');
    const local = settings.inspect<boolean>(kind)?.workspaceValue !== undefined;
    await settings.update(kind, settings.get<boolean>(kind) !== true, !local);
}

/** A program to look at and to change, without a file: the first step of the walkthrough. */
async function openExample(extension: vscode.Uri): Promise<void> {
    const example = vscode.Uri.joinPath(extension, 'media', 'walkthrough', 'example.lift');
    const content = new TextDecoder().decode(await vscode.workspace.fs.readFile(example));
    const document = await vscode.workspace.openTextDocument({ language: 'lift', content });
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside });
}
