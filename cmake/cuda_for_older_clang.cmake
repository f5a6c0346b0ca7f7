# cmake -DCUDA=FOLDER -DOUTPUT=FOLDER -P cuda_for_older_clang.cmake: makes the folder OUTPUT, which stands for the CUDA
# Toolkit 13 at CUDA with a clang that is older than that. Such a clang includes a header that CUDA 13 has no more, since
# nothing used it, and gives fatbinary the options of toolkits before.
file(REMOVE_RECURSE ${OUTPUT})
file(MAKE_DIRECTORY ${OUTPUT})

function(link_all folder)
  file(MAKE_DIRECTORY ${OUTPUT}${folder})
  file(GLOB parts ${CUDA}${folder}/*)
  foreach(part IN LISTS parts)
    get_filename_component(name ${part} NAME)
    if(NOT EXISTS ${OUTPUT}${folder}/${name})
      file(CREATE_LINK ${part} ${OUTPUT}${folder}/${name} SYMBOLIC)
    endif()
  endforeach()
endfunction()

file(WRITE ${OUTPUT}/include/texture_fetch_functions.h "")
set(script [[
#!/bin/sh
# For --image=profile=sm_90,file=FILE or profile=compute_90 stands --image3=kind=elf,sm=90,file=FILE or kind=ptx.
for word; do
    shift
    case $word in
    --image=profile=sm_*) word=--image3=kind=elf,sm=${word#*=profile=sm_} ;;
    --image=profile=compute_*) word=--image3=kind=ptx,sm=${word#*=profile=compute_} ;;
    esac
    set -- "$@" "$word"
done
exec "@CUDA@/bin/fatbinary" "$@"
]])
string(CONFIGURE "${script}" script @ONLY)
file(WRITE ${OUTPUT}/bin/fatbinary "${script}")
file(CHMOD ${OUTPUT}/bin/fatbinary PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
link_all(/include)
link_all(/bin)
link_all("")
